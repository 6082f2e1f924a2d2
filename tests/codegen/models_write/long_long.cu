// run: --in a:i64=123456789012,-7 --out b=3
// expect: b = -864197523084, 123456789005, -17636684144
__global__ void k(const long long *a, long long *b) {
  b[0] = a[0] * a[1];
  b[1] = a[0] + a[1];
  b[2] = a[0] / a[1];
}
