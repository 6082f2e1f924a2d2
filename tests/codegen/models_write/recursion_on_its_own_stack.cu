// run: --set n=12 --out o=32 --block 32
// expect: o = 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13
__device__ __noinline__ int depth(int n) {
  volatile int here = n;
  int below = n > 0 ? depth(n - 1) : 0;
  const void *p = (const void *)&here;
  return below + (__isLocal(p) && !__isShared(p) && !__isGlobal(p) && here == n);
}
__global__ void k(int n, int *o) { o[threadIdx.x] = depth(n); }
