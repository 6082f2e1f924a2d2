// error: unknown_header.cu:2:10: #include "my_kernels.cuh": no such header here
#include "my_kernels.cuh"
__global__ void k(int *a) { a[0] = helper(a[1]); }
