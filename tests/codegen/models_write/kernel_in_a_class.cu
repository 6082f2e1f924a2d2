// run: --in in=4,5 --out out=2 --block 2
// expect: out = 8, 10
struct Doubler {
  static __global__ void twice(const int *in, int *out) {
    out[threadIdx.x] = 2 * in[threadIdx.x];
  }
};
