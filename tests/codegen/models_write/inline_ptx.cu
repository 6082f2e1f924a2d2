// run: --in a=10,3 --out b=2
// expect: b = 33, 7
__global__ void k(const int *a, int *b) {
  int r;
  asm volatile("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a[0]), "r"(a[1]), "r"(3));
  b[0] = r;
  asm("{\n\t.reg .s32 t;\n\tsub.s32 t, %1, %2;\n\tmov.s32 %0, t;\n\t}" : "=r"(r) : "r"(a[0]), "r"(a[1]));
  b[1] = r;
}
