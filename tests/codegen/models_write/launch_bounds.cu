// run: --block 32 --in x=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32 --out sum=1
// expect: sum = 528
#include <cuda_runtime.h>
__global__ __launch_bounds__(32, 1) void warpSum(const int *__restrict__ x, int *__restrict__ sum) {
  int v = x[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  if (threadIdx.x == 0) *sum = v;
}
