// The high half of a product, in PTX: clang turns __mulhi into 64-bit arithmetic wherever it
// can merge it with what stands around it, and this machine's registers have 32 bits.
#pragma once

__device__ __forceinline__ int high_half(int a, int b) {
  int high;
  asm("mul.hi.s32 %0, %1, %2;" : "=r"(high) : "r"(a), "r"(b));
  return high;
}

__device__ __forceinline__ unsigned high_half(unsigned a, unsigned b) {
  unsigned high;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(high) : "r"(a), "r"(b));
  return high;
}
