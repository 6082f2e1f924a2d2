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
VGPU_ATOMICS(long long)
VGPU_ATOMICS(unsigned long long)
VGPU_DEVICE unsigned int atomicInc(unsigned int *p, unsigned int limit) {
  return __nvvm_atom_inc_gen_ui(p, limit);
}
VGPU_DEVICE unsigned int atomicDec(unsigned int *p, unsigned int limit) {
  return __nvvm_atom_dec_gen_ui(p, limit);
}
VGPU_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }

#endif
