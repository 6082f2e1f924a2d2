// error: double_is_refused.cu:4:15: unsupported PTX instruction
#include <cuda_runtime.h>
__global__ void k(double *a) {
  a[0] = a[1] * 0.5;
}
