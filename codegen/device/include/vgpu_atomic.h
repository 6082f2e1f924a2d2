// Atomic functions of CUDA. Each returns the value that stood there before.
#ifndef VGPU_ATOMIC_H
#define VGPU_ATOMIC_H

#define VGPU_ATOMIC(NAME, T, BUILTIN, VALUE)                                                  \
  VGPU_DEVICE T NAME(T *p, T v) { return BUILTIN(p, VALUE, __ATOMIC_RELAXED); }               \
  VGPU_DEVICE T NAME##_block(T *p, T v) { return BUILTIN(p, VALUE, __ATOMIC_RELAXED); }       \
  VGPU_DEVICE T NAME##_system(T *p, T v) { return BUILTIN(p, VALUE, __ATOMIC_RELAXED); }
#define VGPU_ATOMICS(T)                                                                       \
  VGPU_ATOMIC(atomicAdd, T, __atomic_fetch_add, v)                                            \
  /* clang up to 19 lowers __atomic_fetch_sub badly */                                        \
  VGPU_ATOMIC(atomicSub, T, __atomic_fetch_add, (T)(0 - v))                                   \
  VGPU_ATOMIC(atomicMin, T, __atomic_fetch_min, v)                                            \
  VGPU_ATOMIC(atomicMax, T, __atomic_fetch_max, v)                                            \
  VGPU_ATOMIC(atomicAnd, T, __atomic_fetch_and, v)                                            \
  VGPU_ATOMIC(atomicOr, T, __atomic_fetch_or, v)                                              \
  VGPU_ATOMIC(atomicXor, T, __atomic_fetch_xor, v)                                            \
  VGPU_ATOMIC(atomicExch, T, __atomic_exchange_n, v)                                          \
  /* __nvvm_atom_cas_gen_* adds fences on clang 22 */                                         \
  VGPU_DEVICE T atomicCAS(T *p, T expected, T v) {                                            \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);  \
    return expected;                                                                          \
  }                                                                                           \
  VGPU_DEVICE T atomicCAS_block(T *p, T expected, T v) { return atomicCAS(p, expected, v); }  \
  VGPU_DEVICE T atomicCAS_system(T *p, T expected, T v) { return atomicCAS(p, expected, v); }
VGPU_ATOMICS(int)
VGPU_ATOMICS(unsigned int)

#if __SIZEOF_POINTER__ == 8
VGPU_ATOMICS(long)
VGPU_ATOMICS(unsigned long)
VGPU_ATOMICS(long long)
VGPU_ATOMICS(unsigned long long)
#else
// clang has no 64-bit compare-and-swap where pointers have 32 bits, so those of 64 are spelled out.
#define VGPU_WIDE_ATOMIC(NAME, T, OP)                                                         \
  VGPU_DEVICE T NAME(T *p, T v) {                                                             \
    T old;                                                                                    \
    asm volatile("atom." OP " %0, [%1], %2;" : "=l"(old) : "r"(p), "l"(v) : "memory");        \
    return old;                                                                               \
  }                                                                                           \
  VGPU_DEVICE T NAME##_block(T *p, T v) { return NAME(p, v); }                                \
  VGPU_DEVICE T NAME##_system(T *p, T v) { return NAME(p, v); }
#define VGPU_WIDE_ATOMICS(T, SIGNED)                                                          \
  VGPU_WIDE_ATOMIC(atomicAdd, T, "add.u64")                                                   \
  VGPU_WIDE_ATOMIC(atomicMin, T, "min." SIGNED)                                               \
  VGPU_WIDE_ATOMIC(atomicMax, T, "max." SIGNED)                                               \
  VGPU_WIDE_ATOMIC(atomicAnd, T, "and.b64")                                                   \
  VGPU_WIDE_ATOMIC(atomicOr, T, "or.b64")                                                     \
  VGPU_WIDE_ATOMIC(atomicXor, T, "xor.b64")                                                   \
  VGPU_WIDE_ATOMIC(atomicExch, T, "exch.b64")                                                 \
  VGPU_DEVICE T atomicSub(T *p, T v) { return atomicAdd(p, (T)(0 - v)); }                     \
  VGPU_DEVICE T atomicCAS(T *p, T expected, T v) {                                            \
    T old;                                                                                    \
    asm volatile("atom.cas.b64 %0, [%1], %2, %3;"                                             \
                 : "=l"(old) : "r"(p), "l"(expected), "l"(v) : "memory");                     \
    return old;                                                                               \
  }                                                                                           \
  VGPU_DEVICE T atomicCAS_block(T *p, T expected, T v) { return atomicCAS(p, expected, v); }  \
  VGPU_DEVICE T atomicCAS_system(T *p, T expected, T v) { return atomicCAS(p, expected, v); }
VGPU_WIDE_ATOMICS(long long, "s64")
VGPU_WIDE_ATOMICS(unsigned long long, "u64")
#endif

VGPU_DEVICE unsigned short atomicCAS(unsigned short *p, unsigned short expected,
                                     unsigned short v) {
  __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
VGPU_DEVICE unsigned int atomicInc(unsigned int *p, unsigned int limit) {
  return __nvvm_atom_inc_gen_ui(p, limit);
}
VGPU_DEVICE unsigned int atomicDec(unsigned int *p, unsigned int limit) {
  return __nvvm_atom_dec_gen_ui(p, limit);
}
VGPU_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }

#endif
