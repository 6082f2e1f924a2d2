// Functions of CUDA on the bytes, or the halves, of a word, each by itself.
#pragma once

// What f makes of each pair of parts of type T, side by side.
template <class T, class F> VGPU_BOTH unsigned int vgpu_each(unsigned int a, unsigned int b, F f) {
  if (sizeof(T) == 2)
    return (f((T)a, (T)b) & 0xffffu) | f((T)(a >> 16), (T)(b >> 16)) << 16;
  return (f((T)a, (T)b) & 0xffu) | (f((T)(a >> 8), (T)(b >> 8)) & 0xffu) << 8 |
         (f((T)(a >> 16), (T)(b >> 16)) & 0xffu) << 16 | f((T)(a >> 24), (T)(b >> 24)) << 24;
}

#define VGPU_PACKED_OF(NAME, T, EXPRESSION)                                                   \
  VGPU_BOTH unsigned int NAME(unsigned int a, unsigned int b) {                               \
    return vgpu_each<T>(a, b, [](int x, int y) { return (unsigned int)(EXPRESSION); });       \
  }
#define VGPU_UNSIGNED(NAME, EXPRESSION)                                                       \
  VGPU_PACKED_OF(NAME##2, unsigned short, EXPRESSION)                                         \
  VGPU_PACKED_OF(NAME##4, unsigned char, EXPRESSION)
#define VGPU_SIGNED(NAME, EXPRESSION)                                                         \
  VGPU_PACKED_OF(NAME##2, short, EXPRESSION)                                                  \
  VGPU_PACKED_OF(NAME##4, signed char, EXPRESSION)
#define VGPU_COMPARE(NAME, KIND, EXPRESSION)                                                  \
  KIND(__vcmp##NAME, EXPRESSION ? -1 : 0)                                                     \
  KIND(__vset##NAME, EXPRESSION ? 1 : 0)

VGPU_COMPARE(eq, VGPU_UNSIGNED, x == y)
VGPU_COMPARE(ne, VGPU_UNSIGNED, x != y)
VGPU_COMPARE(ltu, VGPU_UNSIGNED, x < y)
VGPU_COMPARE(leu, VGPU_UNSIGNED, x <= y)
VGPU_COMPARE(gtu, VGPU_UNSIGNED, x > y)
VGPU_COMPARE(geu, VGPU_UNSIGNED, x >= y)
VGPU_COMPARE(lts, VGPU_SIGNED, x < y)
VGPU_COMPARE(les, VGPU_SIGNED, x <= y)
VGPU_COMPARE(gts, VGPU_SIGNED, x > y)
VGPU_COMPARE(ges, VGPU_SIGNED, x >= y)
VGPU_UNSIGNED(__vminu, x < y ? x : y)
VGPU_UNSIGNED(__vmaxu, x > y ? x : y)
VGPU_SIGNED(__vmins, x < y ? x : y)
VGPU_SIGNED(__vmaxs, x > y ? x : y)
VGPU_UNSIGNED(__vabsdiffu, x > y ? x - y : y - x)
VGPU_SIGNED(__vabsdiffs, x > y ? x - y : y - x)
VGPU_UNSIGNED(__vavgu, (x + y + 1) >> 1)
VGPU_UNSIGNED(__vhaddu, (x + y) >> 1)
VGPU_UNSIGNED(__vsubus, x > y ? x - y : 0)
VGPU_PACKED_OF(__vaddus2, unsigned short, x + y > 65535 ? 65535 : x + y)
VGPU_PACKED_OF(__vaddus4, unsigned char, x + y > 255 ? 255 : x + y)

// Sums that no carry leaves: those of the lower bits, and the highest bit of each part by itself.
#define VGPU_SUMS(PARTS, HIGH)                                                                \
  VGPU_BOTH unsigned int __vadd##PARTS(unsigned int a, unsigned int b) {                      \
    return ((a & ~HIGH) + (b & ~HIGH)) ^ ((a ^ b) & HIGH);                                    \
  }                                                                                           \
  VGPU_BOTH unsigned int __vsub##PARTS(unsigned int a, unsigned int b) {                      \
    return ((a | HIGH) - (b & ~HIGH)) ^ ((a ^ ~b) & HIGH);                                    \
  }                                                                                           \
  VGPU_BOTH unsigned int __vneg##PARTS(unsigned int a) { return __vsub##PARTS(0, a); }
VGPU_SUMS(2, 0x80008000u)
VGPU_SUMS(4, 0x80808080u)

VGPU_BOTH unsigned int __vsadu2(unsigned int a, unsigned int b) {
  unsigned int d = __vabsdiffu2(a, b);
  return (d & 0xffff) + (d >> 16);
}
VGPU_BOTH unsigned int __vsadu4(unsigned int a, unsigned int b) {
  unsigned int d = __vabsdiffu4(a, b);
  return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24);
}

#undef VGPU_SUMS
#undef VGPU_COMPARE
#undef VGPU_SIGNED
#undef VGPU_UNSIGNED
#undef VGPU_PACKED_OF
