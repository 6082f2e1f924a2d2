// run: --set n=20 --out o=16 --block 16
// expect: o = 211, 209, -206, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
struct Three { int a; long long b; short c; };
__device__ __noinline__ Three add_up(int x, Three p) {
  Three r = p;
  r.a += x;
  r.b += x - 1;
  r.c -= x;
  return x > 1 ? add_up(x - 1, r) : r;
}
__global__ void k(int n, long long *o) {
  Three r = {1, 19, 4};
  if (threadIdx.x == 0) {
    r = add_up(n, r);
    o[0] = r.a; o[1] = r.b; o[2] = r.c;
  } else if (threadIdx.x > 2) {
    o[threadIdx.x] = 1;
  }
}
