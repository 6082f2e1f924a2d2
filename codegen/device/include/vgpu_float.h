// float32: the part of CUDA's mathematics that is exact by definition (IEEE 754).
#ifndef VGPU_FLOAT_H
#define VGPU_FLOAT_H

#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

VGPU_BOTH float fabsf(float v) { return __builtin_fabsf(v); }
VGPU_BOTH float abs(float v) { return __builtin_fabsf(v); }
VGPU_BOTH float fminf(float a, float b) { return __builtin_fminf(a, b); }
VGPU_BOTH float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
VGPU_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
VGPU_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
VGPU_DEVICE float sqrtf(float v) { return __nvvm_sqrt_rn_f(v); }
VGPU_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
VGPU_BOTH float floorf(float v) { return __builtin_floorf(v); }
VGPU_BOTH float ceilf(float v) { return __builtin_ceilf(v); }
VGPU_BOTH float truncf(float v) { return __builtin_truncf(v); }
VGPU_BOTH int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
VGPU_BOTH unsigned int __float_as_uint(float v) { return __builtin_bit_cast(unsigned int, v); }
VGPU_BOTH float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
VGPU_BOTH float __uint_as_float(unsigned int v) { return __builtin_bit_cast(float, v); }
VGPU_BOTH bool isnan(float v) { return __builtin_isnan(v); }
VGPU_BOTH bool isinf(float v) { return __builtin_isinf(v); }

#endif
