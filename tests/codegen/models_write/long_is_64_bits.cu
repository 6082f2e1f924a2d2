// run: --in a=2000000000,3 --out p=2
// expect: p = 6000000000, 8
__global__ void product(const int *a, long *p) {
  long x = a[0];
  p[0] = x * a[1];
  p[1] = sizeof(long);
}
