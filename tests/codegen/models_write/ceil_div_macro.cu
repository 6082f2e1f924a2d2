// run: --block 4 --in m=1,2,3,4,5,6 --out t=6 --set rows=2 --set cols=3
// expect: t = 1, 4, 2, 5, 3, 6
#define IDX(r, c, n) ((r) * (n) + (c))
__global__ void transpose(const int *m, int *t, int rows, int cols) {
  const unsigned total = rows * cols;
  for (unsigned i = threadIdx.x; i < total; i += blockDim.x) {
    unsigned r = i / cols, c = i % cols;
    t[IDX(c, r, rows)] = m[IDX(r, c, cols)];
  }
}
