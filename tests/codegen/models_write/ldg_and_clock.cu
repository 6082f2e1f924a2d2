// run: --block 2 --in a=5,6 --out b=2
// expect: b = 6, 7
__global__ void k(const int *__restrict__ a, int *b) {
  b[threadIdx.x] = __ldg(&a[threadIdx.x]) + 1;
}
