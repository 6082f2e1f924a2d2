// run: --grid 2,2 --block 2,2 --out o=16
// expect: o = 0, 1, 10, 11, 100, 101, 110, 111, 1000, 1001, 1010, 1011, 1100, 1101, 1110, 1111
__global__ void places(int *o) {
  dim3 at(threadIdx.x, threadIdx.y);
  dim3 block = blockIdx;
  int thread = (block.y * gridDim.x + block.x) * 4 + at.y * blockDim.x + at.x;
  o[thread] = block.y * 1000 + block.x * 100 + at.y * 10 + at.x;
}
