// The CUDA C that the machine's compiler offers: included before every kernel.
// It stands in for NVIDIA's headers, so a kernel compiles without a CUDA SDK.
#ifndef VGPU_DEVICE_H
#define VGPU_DEVICE_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define CUDART_VERSION 12000
#define __CUDACC_VER_MAJOR__ 12
#ifndef NULL
#define NULL 0
#endif

#define VGPU_INLINE static __inline__ __attribute__((always_inline, unused))
#define VGPU_DEVICE VGPU_INLINE __device__
#define VGPU_BOTH VGPU_INLINE __host__ __device__

#include "stdint.h"

// ---- places in the launch ----------------------------------------------------------------
struct uint3 { unsigned int x, y, z; };
struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1)
      : x(a), y(b), z(c) {}
};

#define VGPU_PLACE(NAME, SREG)                                                                \
  struct vgpu_##NAME##_t {                                                                    \
    __declspec(property(get = get_x)) unsigned int x;                                         \
    __declspec(property(get = get_y)) unsigned int y;                                         \
    __declspec(property(get = get_z)) unsigned int z;                                         \
    VGPU_MEMBER unsigned int get_x() { return __nvvm_read_ptx_sreg_##SREG##_x(); }            \
    VGPU_MEMBER unsigned int get_y() { return __nvvm_read_ptx_sreg_##SREG##_y(); }            \
    VGPU_MEMBER unsigned int get_z() { return __nvvm_read_ptx_sreg_##SREG##_z(); }            \
    __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }              \
    __device__ operator uint3() const { uint3 v = {get_x(), get_y(), get_z()}; return v; }    \
  };                                                                                          \
  extern const __device__ __attribute__((weak)) vgpu_##NAME##_t NAME
#define VGPU_MEMBER static __inline__ __attribute__((always_inline)) __device__
VGPU_PLACE(threadIdx, tid);
VGPU_PLACE(blockIdx, ctaid);
VGPU_PLACE(blockDim, ntid);
VGPU_PLACE(gridDim, nctaid);
constexpr int warpSize = 32;

// ---- vectors -----------------------------------------------------------------------------
#define VGPU_VECTORS(NAME, T, A)                                                              \
  struct __attribute__((aligned(sizeof(T)))) NAME##1 { T x; };                                \
  struct __attribute__((aligned(2 * sizeof(T)))) NAME##2 { T x, y; };                         \
  struct NAME##3 { T x, y, z; };                                                              \
  struct __attribute__((aligned(A))) NAME##4 { T x, y, z, w; };                               \
  VGPU_BOTH NAME##1 make_##NAME##1(T x) { NAME##1 v = {x}; return v; }                        \
  VGPU_BOTH NAME##2 make_##NAME##2(T x, T y) { NAME##2 v = {x, y}; return v; }                \
  VGPU_BOTH NAME##3 make_##NAME##3(T x, T y, T z) { NAME##3 v = {x, y, z}; return v; }        \
  VGPU_BOTH NAME##4 make_##NAME##4(T x, T y, T z, T w) { NAME##4 v = {x, y, z, w}; return v; }
#define uint3 uint3_
VGPU_VECTORS(char, signed char, 4)
VGPU_VECTORS(uchar, unsigned char, 4)
VGPU_VECTORS(short, short, 8)
VGPU_VECTORS(ushort, unsigned short, 8)
VGPU_VECTORS(int, int, 16)
VGPU_VECTORS(longlong, long long, 16)
VGPU_VECTORS(ulonglong, unsigned long long, 16)
VGPU_VECTORS(float, float, 16)
VGPU_VECTORS(uint, unsigned int, 16)
#undef uint3

// ---- synchronisation (`__syncthreads` is a clang builtin) ----------------------------------
VGPU_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
VGPU_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
VGPU_DEVICE void __threadfence() { __nvvm_membar_gl(); }
VGPU_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

VGPU_DEVICE void __trap() { __builtin_trap(); }
VGPU_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }
VGPU_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
VGPU_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }

// ---- where an address lies -----------------------------------------------------------------
VGPU_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
VGPU_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
VGPU_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
VGPU_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

// ---- loads with a hint to a cache that the machine does not have ----------------------------
template <class T> VGPU_DEVICE T __ldg(const T *p) { return *p; }
template <class T> VGPU_DEVICE T __ldca(const T *p) { return *p; }
template <class T> VGPU_DEVICE T __ldcg(const T *p) { return *p; }
template <class T> VGPU_DEVICE T __ldcs(const T *p) { return *p; }
template <class T> VGPU_DEVICE T __ldlu(const T *p) { return *p; }
template <class T> VGPU_DEVICE T __ldcv(const T *p) { return *(const volatile T *)p; }
template <class T> VGPU_DEVICE void __stcg(T *p, T v) { *p = v; }
template <class T> VGPU_DEVICE void __stwb(T *p, T v) { *p = v; }
template <class T> VGPU_DEVICE void __stcs(T *p, T v) { *p = v; }

// ---- warp votes and shuffles ---------------------------------------------------------------
VGPU_DEVICE unsigned int __ballot_sync(unsigned int mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p != 0);
}
VGPU_DEVICE int __any_sync(unsigned int mask, int p) { return __nvvm_vote_any_sync(mask, p != 0); }
VGPU_DEVICE int __all_sync(unsigned int mask, int p) { return __nvvm_vote_all_sync(mask, p != 0); }
VGPU_DEVICE unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

#define VGPU_SHUFFLE(NAME, HOW, CLAMP, LANE)                                                  \
  VGPU_DEVICE int NAME(unsigned int mask, int value, LANE lane, int width = 32) {             \
    return __nvvm_shfl_sync_##HOW##_i32(mask, value, (int)lane, ((32 - width) << 8) | CLAMP); \
  }                                                                                           \
  VGPU_DEVICE unsigned int NAME(unsigned int mask, unsigned int value, LANE lane,             \
                                int width = 32) {                                             \
    return (unsigned int)NAME(mask, (int)value, lane, width);                                 \
  }                                                                                           \
  VGPU_DEVICE float NAME(unsigned int mask, float value, LANE lane, int width = 32) {         \
    return __nvvm_shfl_sync_##HOW##_f32(mask, value, (int)lane, ((32 - width) << 8) | CLAMP); \
  }                                                                                           \
  VGPU_DEVICE long long NAME(unsigned int mask, long long value, LANE lane, int width = 32) { \
    unsigned int low = (unsigned int)NAME(mask, (int)value, lane, width);                     \
    unsigned int high = (unsigned int)NAME(mask, (int)(value >> 32), lane, width);            \
    return (long long)(((unsigned long long)high << 32) | low);                               \
  }                                                                                           \
  VGPU_DEVICE unsigned long long NAME(unsigned int mask, unsigned long long value, LANE lane, \
                                      int width = 32) {                                       \
    return (unsigned long long)NAME(mask, (long long)value, lane, width);                     \
  }
VGPU_SHUFFLE(__shfl_sync, idx, 0x1f, int)
VGPU_SHUFFLE(__shfl_up_sync, up, 0, unsigned int)
VGPU_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned int)
VGPU_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int)

// ---- bits and integers ---------------------------------------------------------------------
VGPU_BOTH int __popc(unsigned int v) { return __builtin_popcount(v); }
VGPU_BOTH int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
VGPU_BOTH int __clz(int v) { return v ? __builtin_clz((unsigned int)v) : 32; }
VGPU_BOTH int __clzll(long long v) {
  return v ? __builtin_clzll((unsigned long long)v) : 64;
}
VGPU_BOTH int __ffs(int v) { return __builtin_ffs(v); }
VGPU_BOTH int __ffsll(long long v) { return __builtin_ffsll(v); }
VGPU_BOTH unsigned int __brev(unsigned int v) { return __builtin_bitreverse32(v); }
VGPU_BOTH unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
VGPU_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s) {
  return __nvvm_prmt(a, b, s);
}
VGPU_DEVICE int __dp4a(int a, int b, int c) {
  int d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
VGPU_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int d;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
#define VGPU_DP2A(HALF, T, KIND)                                                              \
  VGPU_DEVICE T __dp2a_##HALF(T a, T b, T c) {                                                \
    T d;                                                                                      \
    asm("dp2a." #HALF "." KIND " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));        \
    return d;                                                                                 \
  }
VGPU_DP2A(lo, int, "s32.s32")
VGPU_DP2A(hi, int, "s32.s32")
VGPU_DP2A(lo, unsigned int, "u32.u32")
VGPU_DP2A(hi, unsigned int, "u32.u32")
#undef VGPU_DP2A
VGPU_BOTH int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
VGPU_BOTH unsigned int __umulhi(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a * b) >> 32);
}
VGPU_BOTH int __mul24(int a, int b) {
  return (int)((unsigned int)((a << 8) >> 8) * (unsigned int)((b << 8) >> 8));  // it wraps
}
VGPU_BOTH unsigned int __umul24(unsigned int a, unsigned int b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
VGPU_BOTH int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
VGPU_BOTH unsigned int __uhadd(unsigned int a, unsigned int b) { return (a & b) + ((a ^ b) >> 1); }
VGPU_BOTH int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
VGPU_BOTH unsigned int __urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }
VGPU_BOTH unsigned int __sad(int a, int b, unsigned int c) {
  return (a > b ? (unsigned int)a - (unsigned int)b : (unsigned int)b - (unsigned int)a) + c;
}
VGPU_BOTH unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return (a > b ? a - b : b - a) + c;
}
VGPU_BOTH unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n) {
  n &= 31;
  return n ? (hi << n) | (lo >> (32 - n)) : hi;
}
VGPU_BOTH unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n) {
  n &= 31;
  return n ? (lo >> n) | (hi << (32 - n)) : lo;
}
VGPU_BOTH unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int n) {
  return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
VGPU_BOTH unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int n) {
  return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}

VGPU_BOTH unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  unsigned long long al = (unsigned int)a, ah = a >> 32, bl = (unsigned int)b, bh = b >> 32;
  unsigned long long middle = ah * bl + ((al * bl) >> 32), low = al * bh + (unsigned int)middle;
  return ah * bh + (middle >> 32) + (low >> 32);
}
VGPU_BOTH long long __mul64hi(long long a, long long b) {
  return (long long)__umul64hi(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0);
}

#define VGPU_MIN_MAX(T)                                                                       \
  VGPU_BOTH T min(T a, T b) { return a < b ? a : b; }                                         \
  VGPU_BOTH T max(T a, T b) { return a > b ? a : b; }
VGPU_MIN_MAX(int)
VGPU_MIN_MAX(unsigned int)
VGPU_MIN_MAX(long)
VGPU_MIN_MAX(unsigned long)
VGPU_MIN_MAX(long long)
VGPU_MIN_MAX(unsigned long long)
// As in CUDA, a mixed call compares as unsigned.
VGPU_BOTH unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
VGPU_BOTH unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
VGPU_BOTH unsigned int max(int a, unsigned int b) { return max((unsigned int)a, b); }
VGPU_BOTH unsigned int max(unsigned int a, int b) { return max(a, (unsigned int)b); }
VGPU_BOTH unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
VGPU_BOTH unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
VGPU_BOTH long long llmin(long long a, long long b) { return min(a, b); }
VGPU_BOTH long long llmax(long long a, long long b) { return max(a, b); }
VGPU_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
VGPU_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}
VGPU_BOTH int abs(int v) { return v < 0 ? -v : v; }
VGPU_BOTH long abs(long v) { return v < 0 ? -v : v; }
VGPU_BOTH long long abs(long long v) { return v < 0 ? -v : v; }
VGPU_BOTH long labs(long v) { return v < 0 ? -v : v; }
VGPU_BOTH long long llabs(long long v) { return v < 0 ? -v : v; }

#include "vgpu_packed.h"
#include "vgpu_float.h"
#include "vgpu_atomic.h"
#include "vgpu_warp.h"
#include "vgpu_host.h"

#endif
