// error: half_is_refused.cu:2:10: #include <cuda_fp16.h>: half is not supported
#include <cuda_fp16.h>
__global__ void k(__half *a) { a[0] = __hadd(a[1], a[2]); }
