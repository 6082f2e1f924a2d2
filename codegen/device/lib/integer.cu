// What takes the machine several instructions: division and remainder.
// The compiler calls these by name; a divisor of 0 has been caught before the call.

#define LIBRARY extern "C" __device__ __noinline__

// __vgpu_reciprocals[i - 64] = floor(2^14 / (i + 1)): 1 / n to about six bits, never too large,
// for n whose top seven bits are i.
__constant__ unsigned char __vgpu_reciprocals[64] = {
    252, 248, 244, 240, 237, 234, 230, 227, 224, 221, 218, 215, 212, 210, 207, 204,
    202, 199, 197, 195, 192, 190, 188, 186, 184, 182, 180, 178, 176, 174, 172, 170,
    168, 167, 165, 163, 162, 160, 159, 157, 156, 154, 153, 151, 150, 148, 147, 146,
    144, 143, 142, 141, 140, 138, 137, 136, 135, 134, 133, 132, 131, 130, 129, 128,
};

// Keeps clang from seeing through a value, where its rewriting costs the machine an instruction.
#define OPAQUE(value) asm("" : "+r"(value))

// 2^32 / d from below. The error is under 2.
static __device__ __forceinline__ unsigned int reciprocal(unsigned int d, unsigned int minus_d) {
  unsigned int zeros = (unsigned int)__builtin_clz(d);
  unsigned int top = (d << zeros) >> 25;
  OPAQUE(top);
  unsigned int z = ((unsigned int)(__vgpu_reciprocals - 64)[top] << 24) >> (zeros ^ 31);
  // minus_d * z is the part e by which d * z misses 2^32: z + z (e + e^2) leaves e^3 of it
  unsigned int e = minus_d * z;
  z += __umulhi(z, e + __umulhi(e, e));
  // and z + z e squares that
  z += __umulhi(z, minus_d * z);
  return z;
}

// The quotient from the reciprocal is at most 2 too small.
static __device__ __forceinline__ unsigned int quotient(unsigned int x, unsigned int d) {
  unsigned int minus_d = 0u - d;
  OPAQUE(minus_d);
  unsigned int q = __umulhi(x, reciprocal(d, minus_d));
  unsigned int r = x + q * minus_d;
  asm("{ .reg .pred again;\n"
      "setp.ge.u32 again, %1, %2;\n"
      "@again add.u32 %0, %0, 1;\n"
      "@again add.u32 %1, %1, %3;\n"
      "setp.ge.u32 again, %1, %2;\n"
      "@again add.u32 %0, %0, 1; }"
      : "+r"(q), "+r"(r) : "r"(d), "r"(minus_d));
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
