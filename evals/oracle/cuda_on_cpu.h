// CUDA C on the CPU: one operating-system thread a CUDA thread, real barriers, one block at a time.
// Shared memory is static storage; dynamic shared memory is `oracle_dynamic_shared`.
#pragma once
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x = 1, y = 1, z = 1; };
inline thread_local uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;
alignas(16) inline unsigned char oracle_dynamic_shared[1 << 16];

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __shared__ static
#define __constant__ static

// Lanes of a warp that meet: everybody leaves a value, and takes all values of the group.
struct Meeting {
  struct Group { unsigned arrived = 0, present = 0, round = 0; uint64_t values[32] = {}, taken[32] = {}; };
  std::mutex lock;
  std::condition_variable changed;
  std::map<unsigned, Group> groups;
  unsigned alive = 0;

  void complete() {
    for (auto &[mask, group] : groups)
      if (group.arrived && !((mask & alive) & ~group.arrived)) {
        memcpy(group.taken, group.values, sizeof group.taken);
        group.present = group.arrived;
        group.arrived = 0;
        group.round++;
      }
    changed.notify_all();
  }
  // The values of all lanes of the mask; the lanes that were there.
  unsigned exchange(unsigned mask, int lane, uint64_t value, uint64_t (&out)[32]) {
    std::unique_lock<std::mutex> hold(lock);
    Group &group = groups[mask];
    unsigned round = group.round;
    group.values[lane] = value;
    group.arrived |= 1u << lane;
    complete();
    changed.wait(hold, [&] { return group.round != round; });
    memcpy(out, group.taken, sizeof out);
    return group.present;
  }
  void leave(int lane) {
    std::unique_lock<std::mutex> hold(lock);
    alive &= ~(1u << lane);
    complete();
  }
};

inline std::unique_ptr<std::barrier<>> oracle_barrier;
inline std::vector<std::unique_ptr<Meeting>> oracle_warps;
inline thread_local int oracle_lane;
inline thread_local Meeting *oracle_warp;

inline void __syncthreads() { oracle_barrier->arrive_and_wait(); }
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { __threadfence(); }

inline void __syncwarp(unsigned mask = ~0u) {
  uint64_t all[32];
  oracle_warp->exchange(mask, oracle_lane, 0, all);
}
inline unsigned __activemask() { return 1u << oracle_lane; }
inline unsigned __ballot_sync(unsigned mask, int p) {
  uint64_t all[32];
  unsigned present = oracle_warp->exchange(mask, oracle_lane, p != 0, all), bits = 0;
  for (int i = 0; i < 32; i++)
    if (mask & present & 1u << i && all[i]) bits |= 1u << i;
  return bits;
}
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }

template <class T> T oracle_shuffle(unsigned mask, T value, int source, bool inside) {
  uint64_t bits = 0, all[32];
  memcpy(&bits, &value, sizeof value);
  oracle_warp->exchange(mask, oracle_lane, bits, all);
  T result = value;
  if (inside) memcpy(&result, &all[source], sizeof result);
  return result;
}
template <class T> T __shfl_sync(unsigned mask, T v, int source, int width = 32) {
  int first = oracle_lane / width * width;
  return oracle_shuffle(mask, v, first + (source & (width - 1)), true);
}
template <class T> T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int first = oracle_lane / width * width, source = oracle_lane - (int)delta;
  return oracle_shuffle(mask, v, source, source >= first);
}
template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int last = oracle_lane / width * width + width - 1, source = oracle_lane + (int)delta;
  return oracle_shuffle(mask, v, source, source <= last);
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32) {
  int last = oracle_lane / width * width + width - 1, source = oracle_lane ^ bits;
  return oracle_shuffle(mask, v, source, source <= last);
}

// Read-modify-write on integers; the pointer may be volatile.
template <class T, class F> T oracle_atomic(volatile T *at, F change) {
  T *p = const_cast<T *>(at), old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(p, &old, (T)change(old), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
  return old;
}
template <class T> using same = std::type_identity_t<T>;
template <class T> T atomicAdd(T *p, same<T> v) { return oracle_atomic(p, [=](T o) { return (std::make_unsigned_t<T>)o + v; }); }
template <class T> T atomicSub(T *p, same<T> v) { return oracle_atomic(p, [=](T o) { return (std::make_unsigned_t<T>)o - v; }); }
template <class T> T atomicMin(T *p, same<T> v) { return oracle_atomic(p, [=](T o) { return o < v ? o : v; }); }
template <class T> T atomicMax(T *p, same<T> v) { return oracle_atomic(p, [=](T o) { return o > v ? o : v; }); }
template <class T> T atomicAnd(T *p, same<T> v) { return oracle_atomic(p, [=](T o) { return o & v; }); }
template <class T> T atomicOr(T *p, same<T> v) { return oracle_atomic(p, [=](T o) { return o | v; }); }
template <class T> T atomicXor(T *p, same<T> v) { return oracle_atomic(p, [=](T o) { return o ^ v; }); }
template <class T> T atomicExch(T *p, same<T> v) { return oracle_atomic(p, [=](T) { return v; }); }
template <class T> T atomicCAS(T *p, same<T> c, same<T> v) { return oracle_atomic(p, [=](T o) { return o == c ? v : o; }); }
inline unsigned atomicInc(unsigned *p, unsigned v) { return oracle_atomic(p, [=](unsigned o) { return o >= v ? 0 : o + 1; }); }
inline unsigned atomicDec(unsigned *p, unsigned v) { return oracle_atomic(p, [=](unsigned o) { return o == 0 || o > v ? v : o - 1; }); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i); return r; }
inline unsigned long long __brevll(unsigned long long x) { return (unsigned long long)__brev((unsigned)x) << 32 | __brev(x >> 32); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline unsigned __sad(int a, int b, unsigned c) { return (unsigned)((long long)a > b ? (long long)a - b : (long long)b - a) + c; }
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return (unsigned)((((unsigned long long)hi << 32 | lo) << (n & 31)) >> 32); }
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31)); }
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? lo : __funnelshift_l(lo, hi, n); }
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? hi : __funnelshift_r(lo, hi, n); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) {
    unsigned n = s >> 4 * i & 15, byte = both >> 8 * (n & 7) & 255;
    if (n & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << 8 * i;
  }
  return r;
}
template <class A, class B> auto min(A a, B b) { using T = std::common_type_t<A, B>; return (T)a < (T)b ? (T)a : (T)b; }
template <class A, class B> auto max(A a, B b) { using T = std::common_type_t<A, B>; return (T)a > (T)b ? (T)a : (T)b; }
inline int __float_as_int(float f) { int i; memcpy(&i, &f, 4); return i; }
inline float __int_as_float(int i) { float f; memcpy(&f, &i, 4); return f; }
inline unsigned __float_as_uint(float f) { return (unsigned)__float_as_int(f); }
inline float __uint_as_float(unsigned i) { return __int_as_float((int)i); }

// Runs a kernel whose parameters are given as raw bytes, in order.
template <class... P> void oracle_launch(void (*kernel)(P...), const std::vector<std::vector<unsigned char>> &raw) {
  std::tuple<std::remove_cv_t<P>...> parameters;
  size_t next = 0;
  std::apply([&](auto &...p) { (memcpy((void *)&p, raw[next++].data(), sizeof p), ...); }, parameters);
  unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  for (unsigned z = 0; z < gridDim.z; z++)
    for (unsigned y = 0; y < gridDim.y; y++)
      for (unsigned x = 0; x < gridDim.x; x++) {
        oracle_barrier = std::make_unique<std::barrier<>>(threads);
        oracle_warps.clear();
        for (unsigned t = 0; t < threads; t++) {
          if (t % 32 == 0) oracle_warps.push_back(std::make_unique<Meeting>());
          oracle_warps.back()->alive |= 1u << t % 32;
        }
        std::vector<std::thread> running;
        for (unsigned t = 0; t < threads; t++)
          running.emplace_back([&, t] {
            threadIdx = {t % blockDim.x, t / blockDim.x % blockDim.y, t / (blockDim.x * blockDim.y)};
            blockIdx = {x, y, z};
            oracle_lane = t % 32;
            oracle_warp = oracle_warps[t / 32].get();
            std::apply(kernel, parameters);
            oracle_barrier->arrive_and_drop();
            oracle_warp->leave(oracle_lane);
          });
        for (auto &thread : running) thread.join();
      }
}
