// run: --in a:u32=1 --out p=1
// expect: p = 1099511627776
__global__ void shifted(const unsigned *a, unsigned long *p) { p[0] = (1UL << 40) * a[0]; }
