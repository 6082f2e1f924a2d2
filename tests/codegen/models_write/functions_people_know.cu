// run: --in a=6,9,3 --in h=3 --out o=18
// expect: o = 8, 8, 45, 0, 15, 50332416, 4294902015, 11, 4294967295, 0, 6, 9, 16843009, 3, 9, 9, 1, 2
__global__ void k(const unsigned *a, unsigned *o, unsigned short *h) {
  __shared__ int s[4];
  s[0] = (int)a[0];
  o[0] = __rhadd((int)a[0], (int)a[1]);
  o[1] = __urhadd(a[0], a[1]);
  o[2] = __dp2a_lo(a[0], a[1] - 4, 15u);
  o[3] = __dp2a_hi(a[0], a[1], 0u);
  o[4] = __vadd4(a[0], a[1]);
  o[5] = __vabsdiffu4(0x03060906u, a[0] * 0x01010101u);
  o[6] = __vcmpeq4(a[0] << 8, a[1] << 8);
  o[7] = ullmin(a[0], a[1]) + ullmax(1, 2) + llmin(1, 2) + llmax(1, 2);
  o[8] = memcmp(a, a + 1, 8);
  o[9] = memcmp(a, a, 8);
  memcpy(o + 10, a, 8);
  memset(o + 12, 1, 4);
  o[13] = atomicCAS(h, (unsigned short)3, (unsigned short)9);
  o[14] = *h;
  memmove(o + 15, o + 14, 4);
  o[16] = __isGlobal(a) + 2 * __isShared(a);
  o[17] = __isGlobal(s) + 2 * __isShared(s);
}
