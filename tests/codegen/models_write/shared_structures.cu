// run: --block 4 --in v=9,2,7,4 --out o=2
// expect: o = 2, 1
struct Best { int value, index; };
__global__ void argmin(const int *v, int *o) {
  __shared__ Best best[4];
  int t = threadIdx.x;
  best[t] = {v[t], t};
  __syncthreads();
  for (int stride = 2; stride; stride >>= 1) {
    if (t < stride && best[t + stride].value < best[t].value) best[t] = best[t + stride];
    __syncthreads();
  }
  if (t == 0) { o[0] = best[0].value; o[1] = best[0].index; }
}
