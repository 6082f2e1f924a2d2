// run: --in u:u64=18446744073709551615,18446744073709551614 --in s:i64=-9223372036854775807,7777777777777777777 --out p:u64=1 --out q:i64=1
// expect: p = 18446744073709551613
// expect: q = -3888888888888888889
__global__ void k(const unsigned long long *u, const long long *s, unsigned long long *p,
                  long long *q) {
  *p = __umul64hi(u[0], u[1]);
  *q = __mul64hi(s[0], s[1]);
}
