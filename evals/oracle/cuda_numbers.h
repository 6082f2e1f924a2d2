// CUDA's integer and float32 functions, each from its definition.
#pragma once

// ---- fixed names ------------------------------------------------------------------------------
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
#define ORACLE_VECTORS(NAME, T, A)                                                                 \
  struct NAME##1 { T x; };                                                                         \
  struct alignas(2 * sizeof(T)) NAME##2 { T x, y; };                                               \
  struct alignas(A) NAME##4 { T x, y, z, w; };                                                     \
  static inline NAME##1 make_##NAME##1(T x) { return {x}; }                                        \
  static inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                                \
  static inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define ORACLE_TRIPLE(NAME, T)                                                                     \
  struct NAME##3 { T x, y, z; };                                                                   \
  static inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }
ORACLE_VECTORS(char, signed char, 4)
ORACLE_VECTORS(uchar, unsigned char, 4)
ORACLE_VECTORS(short, short, 8)
ORACLE_VECTORS(ushort, unsigned short, 8)
ORACLE_VECTORS(int, int, 16)
ORACLE_VECTORS(uint, unsigned, 16)
ORACLE_VECTORS(longlong, long long, 16)
ORACLE_VECTORS(ulonglong, unsigned long long, 16)
ORACLE_VECTORS(float, float, 16)
ORACLE_TRIPLE(char, signed char)
ORACLE_TRIPLE(uchar, unsigned char)
ORACLE_TRIPLE(short, short)
ORACLE_TRIPLE(ushort, unsigned short)
ORACLE_TRIPLE(int, int)
ORACLE_TRIPLE(longlong, long long)
ORACLE_TRIPLE(ulonglong, unsigned long long)
ORACLE_TRIPLE(float, float)
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }

// ---- bits ---------------------------------------------------------------------------------------
static inline int __popcll(unsigned long long x) {
  int count = 0;
  for (; x; x &= x - 1) count++;
  return count;
}
static inline int __popc(unsigned x) { return __popcll(x); }
static inline int __clzll(long long x) {
  int count = 0;
  for (int i = 63; i >= 0 && !((unsigned long long)x >> i & 1); i--) count++;
  return count;
}
static inline int __clz(int x) { return __clzll((unsigned)x) - 32; }
static inline int __ffsll(long long x) {
  for (int i = 0; i < 64; i++)
    if ((unsigned long long)x >> i & 1) return i + 1;
  return 0;
}
static inline int __ffs(int x) { return __ffsll((unsigned)x); }
static inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long r = 0;
  for (int i = 0; i < 64; i++) r |= (x >> i & 1) << (63 - i);
  return r;
}
static inline unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) {
    unsigned n = s >> 4 * i & 15, byte = (unsigned)(both >> 8 * (n & 7)) & 255;
    if (n & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << 8 * i;
  }
  return r;
}
// The two words as one of 64 bits, moved by n modulo 32, or by at most 32.
static inline unsigned oracle_left(unsigned lo, unsigned hi, unsigned n) {
  return n == 32 ? lo : (unsigned)(((unsigned long long)hi << 32 | lo) << n >> 32);
}
static inline unsigned oracle_right(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> n);
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return oracle_left(lo, hi, n & 31);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return oracle_right(lo, hi, n & 31);
}
static inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return oracle_left(lo, hi, n < 32 ? n : 32);
}
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return oracle_right(lo, hi, n < 32 ? n : 32);
}

// ---- products and sums -----------------------------------------------------------------------------
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
static inline long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int oracle_24(int a) { return (int)((unsigned)a << 8) >> 8; }
static inline int __mul24(int a, int b) {
  return (int)(unsigned)((long long)oracle_24(a) * oracle_24(b));
}
static inline unsigned __umul24(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)(a & 0xffffff) * (b & 0xffffff));
}
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b) >> 1);
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}
static inline unsigned __sad(int a, int b, unsigned c) {
  long long distance = (long long)a - b;
  return (unsigned)(distance < 0 ? -distance : distance) + c;
}

// ---- least, greatest, magnitude (the types as C's arithmetic has them) ---------------------------
template <class A, class B> auto min(A a, B b) {
  typedef decltype(a + b) C;
  return (C)a < (C)b ? (C)a : (C)b;
}
template <class A, class B> auto max(A a, B b) {
  typedef decltype(a + b) C;
  return (C)a > (C)b ? (C)a : (C)b;
}
static inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
static inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
static inline long long llmin(long long a, long long b) { return min(a, b); }
static inline long long llmax(long long a, long long b) { return max(a, b); }
template <class A> auto abs(A v) { return v < 0 ? 0 - v : +v; }
static inline long labs(long v) { return abs(v); }
static inline long long llabs(long long v) { return abs(v); }

// ---- float32 --------------------------------------------------------------------------------------
static inline int __float_as_int(float f) {
  int i;
  memcpy(&i, &f, 4);
  return i;
}
static inline float __int_as_float(int i) {
  float f;
  memcpy(&f, &i, 4);
  return f;
}
static inline unsigned __float_as_uint(float f) { return (unsigned)__float_as_int(f); }
static inline float __uint_as_float(unsigned i) { return __int_as_float((int)i); }
static inline bool isnan(float v) { return v != v; }
static inline bool isinf(float v) { return (__float_as_uint(v) << 1) == 0xff000000u; }
static inline float fabsf(float v) { return __uint_as_float(__float_as_uint(v) & 0x7fffffffu); }
// A NaN gives way to a number, and -0 lies below +0.
static inline float fminf(float a, float b) {
  if (a != a || b != b) return a != a ? b : a;
  if (a == b) return __uint_as_float(__float_as_uint(a) | __float_as_uint(b));
  return a < b ? a : b;
}
static inline float fmaxf(float a, float b) {
  if (a != a || b != b) return a != a ? b : a;
  if (a == b) return __uint_as_float(__float_as_uint(a) & __float_as_uint(b));
  return a > b ? a : b;
}
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline float abs(float v) { return fabsf(v); }
static inline float sqrtf(float v) { return __builtin_sqrtf(v); }
static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float floorf(float v) { return __builtin_floorf(v); }
static inline float ceilf(float v) { return __builtin_ceilf(v); }
static inline float truncf(float v) { return __builtin_truncf(v); }
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#ifndef INT_MAX
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
#endif
