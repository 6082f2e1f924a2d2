// run: --set n=10 --out f=1
// expect: f = 55
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void k(int n, int *f) { *f = fib(n); }
