// Division of 64-bit numbers. The compiler calls it by name; a divisor of 0 has been caught before.

#define LIBRARY extern "C" __device__ __noinline__

typedef unsigned int word;
typedef unsigned long long wide;

struct Division {
  wide quotient;
  wide remainder;
};

// Keeps clang from seeing through a value, where its rewriting costs the machine an instruction.
#define OPAQUE(value) asm("" : "+r"(value))

// The high word of (high : low) << (shift % 32).
static __device__ __forceinline__ word shifted(word low, word high, int shift) {
  word result;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}

static __device__ __forceinline__ wide pair(word low, word high) {
  return (wide)high << 32 | low;
}

// floor((2^64 - 1) / d) - 2^32 for d >= 2^31: the fraction v of the reciprocal 1 + v / 2^32.
// Every step stays below the true value.
static __device__ __forceinline__ word reciprocal(word d) {
  word not_d = ~d;
  OPAQUE(not_d);
  // to 5 bits: v = u * (0.64 + 2.56 * u) where d / 2^32 = 1 - u, a little lowered
  word twice = not_d << 1;
  word v = __umulhi(twice, 2748776448u);
  OPAQUE(v);
  v = __umulhi(twice, v + 1374388224u);
  // Newton: the error e = 1 - d * (1 + v) squares with each v += (1 + v) * e
  word e = not_d - __umulhi(d, v);
  v += e + __umulhi(v, e);
  e = (word)max((int)(not_d - __umulhi(d, v)), 0);
  v += e + __umulhi(v, e);
  OPAQUE(v);
  // the last time with all bits of the error, which is below 2^42 now
  e = (word)(pair(~(d * v), not_d - __umulhi(d, v)) >> 12);
  OPAQUE(e);
  v += (e + __umulhi(v, e)) >> 20;
  // v may be one too small, but must not wrap
  word next = max(v + 1, v);
  if (__umulhi(d, next) <= not_d) v = next;
  return v;
}

// (high : low) / d for high < d and d >= 2^31, v its reciprocal (Möller and Granlund, 2011).
static __device__ __forceinline__ word divide(word low, word high, word d, word v, word &rest) {
  wide estimate = (wide)v * high + pair(low, high);
  word q = (word)(estimate >> 32) + 1;
  word r = low - q * d;
  if (r > (word)estimate) { q -= 1; r += d; }
  if (r >= d) { q += 1; r -= d; }
  rest = r;
  return q;
}

// A divisor of one word: word by word, both shifted up so that its top bit is set.
static __device__ __forceinline__ Division by_word(word low, word high, word d) {
  OPAQUE(d);
  int shift = __clz(d);
  word divisor = d << shift;
  word v = reciprocal(divisor);
  word rest = shifted(low, high, shift);
  word upper = 0;
  if (high >= d) upper = divide(rest, shifted(high, 0, shift), divisor, v, rest);
  OPAQUE(upper);
  word lower = divide(low << shift, rest, divisor, v, rest);
  return {pair(lower, upper), rest >> shift};
}

// A divisor of two words: half of x by the top word of d gives the quotient or one more
// (Hacker's Delight, chapter 9).
static __device__ __forceinline__ Division by_wide(wide x, wide d) {
  int shift = __clz((word)(d >> 32));
  word top = shifted((word)d, (word)(d >> 32), shift);
  word rest;
  word q = divide((word)(x >> 1), (word)(x >> 33), top, reciprocal(top), rest) >> (31 ^ shift);
  q = max(q, 1u) - 1;
  wide r = x - d * q;
  wide less = r - d;
  bool more = r >= d;
  return {(wide)(more ? q + 1 : q), more ? less : r};
}

LIBRARY Division __vgpu_udivmod64(wide x, wide d) {
  if (d >> 32 == 0) return by_word((word)x, (word)(x >> 32), (word)d);
  return by_wide(x, d);
}
