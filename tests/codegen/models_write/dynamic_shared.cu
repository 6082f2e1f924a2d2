// run: --block 4 --shared 16 --in x=1,2,3,4 --out y=4
// expect: y = 4, 3, 2, 1
extern __shared__ int buffer[];
__global__ void reverse(const int *x, int *y) {
  buffer[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
