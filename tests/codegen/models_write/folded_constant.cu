// run: --out a=1
// expect: a = 42
// folded: true
__global__ void k(int *a) { *a = 6 * 7; }
