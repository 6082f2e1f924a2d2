// run: --block 3 --in a=1,2,3 --out b=3
// expect: b = 2, 5, 10
template <class F>
__device__ int apply(F f, int x) { return f(x); }
__global__ void k(const int *a, int *b) {
  const int one = 1;
  auto f = [=](int x) { return x * x + one; };
  b[threadIdx.x] = apply(f, a[threadIdx.x]);
}
