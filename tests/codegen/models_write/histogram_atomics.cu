// run: --block 8 --in v:u8=0,1,2,1,0,1,3,1 --out bins=4
// expect: bins = 2, 4, 1, 1
#include <cstdint>
__global__ void histogram(const uint8_t *v, unsigned int *bins) {
  __shared__ unsigned int local[4];
  if (threadIdx.x < 4) local[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&local[v[threadIdx.x]], 1u);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
