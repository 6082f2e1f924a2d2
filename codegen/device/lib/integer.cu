// What takes the machine several instructions: division, remainder and counting bits.
// The compiler calls these by name; a divisor of 0 has been caught before the call.

#define LIBRARY extern "C" __device__ __noinline__

// __vgpu_reciprocals[i - 16] = floor(2^12 / (i + 1)): 1 / n to about four bits, never too large,
// for n whose top six bits are i.
__constant__ unsigned char __vgpu_reciprocals[48] = {
    240, 227, 215, 204, 195, 186, 178, 170, 163, 157, 151, 146, 141, 136, 132, 128,
    124, 120, 117, 113, 110, 107, 105, 102, 99, 97, 95, 93, 91, 89, 87, 85,
    83, 81, 80, 78, 77, 75, 74, 73, 71, 70, 69, 68, 67, 66, 65, 64,
};

// Keeps clang from seeing through a value, where its rewriting costs the machine an instruction.
#define OPAQUE(value) asm("" : "+r"(value))

// 2^32 / d from below, by Newton's iteration from a table. The error is under 2.
static __device__ __forceinline__ unsigned int reciprocal(unsigned int d, unsigned int minus_d) {
  unsigned int n = d;
  int shift = 30;
  if (n < 1u << 16) { n <<= 16; shift -= 16; }
  if (n < 1u << 24) { n <<= 8; shift -= 8; }
  if (n < 1u << 28) { n <<= 4; shift -= 4; }
  if (n < 1u << 30) { n <<= 2; shift -= 2; }
  unsigned int z = ((unsigned int)(__vgpu_reciprocals - 16)[n >> 26] << 24) >> shift;
  // minus_d * z is the part by which d * z misses 2^32: each round squares the relative error
  z += __umulhi(z, minus_d * z);
  z += __umulhi(z, minus_d * z);
  z += __umulhi(z, minus_d * z);
  return z;
}

// The quotient from the reciprocal is at most 2 too small.
static __device__ __forceinline__ unsigned int quotient(unsigned int x, unsigned int d) {
  unsigned int minus_d = 0u - d;
  OPAQUE(minus_d);
  unsigned int q = __umulhi(x, reciprocal(d, minus_d));
  unsigned int r = x + q * minus_d;
  unsigned int less = r - d;
  OPAQUE(less);
  if (r >= d) { q += 1; r = less; }
  OPAQUE(r);
  if (r >= d) q += 1;
  return q;
}

static __device__ __forceinline__ unsigned int remainder(unsigned int x, unsigned int d) {
  unsigned int minus_d = 0u - d;
  OPAQUE(minus_d);
  unsigned int r = x + __umulhi(x, reciprocal(d, minus_d)) * minus_d;
  // r - d wraps to a large number when r is small enough already
  r = min(r, r + minus_d);
  return min(r, r + minus_d);
}

static __device__ __forceinline__ unsigned int magnitude(int v) {
  return (unsigned int)max(v, (int)(0u - (unsigned int)v));
}

LIBRARY unsigned int __vgpu_udiv32(unsigned int x, unsigned int d) { return quotient(x, d); }

LIBRARY unsigned int __vgpu_urem32(unsigned int x, unsigned int d) { return remainder(x, d); }

LIBRARY int __vgpu_sdiv32(int x, int d) {
  int q = (int)quotient(magnitude(x), magnitude(d));
  return (x ^ d) < 0 ? (int)(0u - (unsigned int)q) : q;
}

LIBRARY int __vgpu_srem32(int x, int d) {
  int r = (int)remainder(magnitude(x), magnitude(d));
  return x < 0 ? (int)(0u - (unsigned int)r) : r;
}

LIBRARY unsigned int __vgpu_popc_b32(unsigned int v) {
  v -= (v >> 1) & 0x55555555u;
  v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0fu;
  return (v * 0x01010101u) >> 24;
}

LIBRARY unsigned int __vgpu_clz_b32(unsigned int v) {
  unsigned int n = 0;
  if (v < 1u << 16) { v <<= 16; n += 16; }
  if (v < 1u << 24) { v <<= 8; n += 8; }
  if (v < 1u << 28) { v <<= 4; n += 4; }
  if (v < 1u << 30) { v <<= 2; n += 2; }
  if (v < 1u << 31) { v <<= 1; n += 1; }
  return v == 0 ? n + 1 : n;
}

LIBRARY unsigned int __vgpu_brev_b32(unsigned int v) {
  // clang must not see that this is `brev`
  v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
  OPAQUE(v);
  v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
  v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
  v = ((v >> 8) & 0x00ff00ffu) | ((v & 0x00ff00ffu) << 8);
  return (v >> 16) | (v << 16);
}

// Bit fields whose place or size is not constant (PTX ISA 9.7.1.15 to 17); counts modulo 256.
LIBRARY unsigned int __vgpu_bfe_u32(unsigned int v, unsigned int at, unsigned int size) {
  at &= 255;
  size &= 255;
  unsigned int down = at < 32 ? v >> at : 0;
  return size < 32 ? down & ((1u << size) - 1) : down;
}

LIBRARY int __vgpu_bfe_s32(int v, unsigned int at, unsigned int size) {
  at &= 255;
  size &= 255;
  if (size == 0) return 0;
  int down = v >> (at < 31 ? at : 31);
  if (size >= 32) return down;
  return (int)((unsigned int)down << (32 - size)) >> (32 - size);
}

LIBRARY unsigned int __vgpu_bfi_b32(unsigned int part, unsigned int whole, unsigned int at,
                                    unsigned int size) {
  at &= 255;
  size &= 255;
  if (at >= 32) return whole;
  unsigned int mask = (size < 32 ? (1u << size) - 1 : 0xffffffffu) << at;
  return ((part << at) & mask) | (whole & ~mask);
}
