// run: --in m=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 --out o=1 --set n=24
// expect: o = 46368
__device__ unsigned long long fib(int n, unsigned long long *m) {
  if (n < 2) return n;
  if (m[n]) return m[n];
  return m[n] = fib(n - 1, m) + fib(n - 2, m);
}
__global__ void k(unsigned long long *o, unsigned long long *m, int n) { o[0] = fib(n, m); }
