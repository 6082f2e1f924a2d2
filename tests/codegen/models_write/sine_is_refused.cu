// error: sine_is_refused.cu:3:38: error: use of undeclared identifier 'sinf'
#include <math.h>
__global__ void k(float *a) {a[0] =  sinf(a[1]); }
