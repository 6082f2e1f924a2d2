// CUDA C on the CPU: one operating-system thread a CUDA thread, real barriers, one block at a time.
// Needs POSIX threads and no C++ library, so that a kernel compiles in a fraction of a second.
// Shared memory is static storage; dynamic shared memory is `oracle_dynamic_shared`.
#pragma once
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static
#define __constant__ static

// ---- places in the launch -----------------------------------------------------------------
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
static __thread uint3 threadIdx;
static uint3 blockIdx;
static dim3 blockDim, gridDim;
static constexpr int warpSize = 32;
alignas(16) static unsigned char oracle_dynamic_shared[1 << 16];
static __thread unsigned oracle_lane;

// ---- meetings: threads that wait for one another --------------------------------------------
// Everybody who is expected leaves a value; the last to come hands all values out and opens the
// door. Nobody can come a second time before all have left, as the second round needs them all.
struct OracleDoor {
  unsigned round;
  uint64_t arrived[4], present[4];  // sets of up to 256 threads
  uint64_t values[256], taken[256];
};

struct OracleMeeting {
  static constexpr int DOORS = 256;  // of a warp: one a mask; a kernel has a few
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  uint64_t alive[4] = {};
  int doors = 0;
  unsigned masks[DOORS];
  OracleDoor *door[DOORS];

  OracleDoor &at(unsigned mask) {
    for (int i = 0; i < doors; i++)
      if (masks[i] == mask) return *door[i];
    if (doors == DOORS) __builtin_trap();
    masks[doors] = mask;
    door[doors] = (OracleDoor *)__builtin_calloc(1, sizeof(OracleDoor));
    return *door[doors++];
  }
  // Opens every door whose threads have all come or ended. `mask` speaks of the first 32 threads,
  // and ~0 of all.
  void complete() {
    for (int d = 0; d < doors; d++) {
      OracleDoor &at = *door[d];
      bool some = false, all = true;
      for (int i = 0; i < 4; i++) {
        uint64_t wanted = masks[d] == ~0u ? alive[i] : i ? 0 : alive[0] & masks[d];
        some |= at.arrived[i] != 0;
        all &= (wanted & ~at.arrived[i]) == 0;
      }
      if (!some || !all) continue;
      memcpy(at.taken, at.values, sizeof at.taken);
      memcpy(at.present, at.arrived, sizeof at.present);
      memset(at.arrived, 0, sizeof at.arrived);
      at.round++;
    }
    pthread_cond_broadcast(&changed);
  }
  // Leaves a value, waits for the others; `look` then reads what all have left.
  template <class Look> auto meet(unsigned mask, unsigned who, uint64_t value, Look look) {
    pthread_mutex_lock(&lock);
    OracleDoor &mine = at(mask);
    unsigned round = mine.round;
    mine.values[who] = value;
    mine.arrived[who / 64] |= 1ull << who % 64;
    complete();
    while (mine.round == round) pthread_cond_wait(&changed, &lock);
    auto result = look(mine);
    pthread_mutex_unlock(&lock);
    return result;
  }
  void enter(unsigned who) { alive[who / 64] |= 1ull << who % 64; }
  void leave(unsigned who) {
    pthread_mutex_lock(&lock);
    alive[who / 64] &= ~(1ull << who % 64);
    complete();
    pthread_mutex_unlock(&lock);
  }
  void reset() {
    for (int i = 0; i < doors; i++) __builtin_free(door[i]);
    doors = 0;
    memset(alive, 0, sizeof alive);
  }
};
static OracleMeeting oracle_block, oracle_warps[8];
static __thread OracleMeeting *oracle_warp;
static __thread unsigned oracle_thread;

// ---- barriers -------------------------------------------------------------------------------
static inline int __syncthreads_count(int p) {
  return oracle_block.meet(~0u, oracle_thread, p != 0, [](OracleDoor &door) {
    int count = 0;
    for (int i = 0; i < 256; i++) count += door.present[i / 64] >> i % 64 & 1 && door.taken[i];
    return count;
  });
}
static inline int __syncthreads_or(int p) { return __syncthreads_count(p) != 0; }
static inline int __syncthreads_and(int p) { return __syncthreads_count(!p) == 0; }
static inline void __syncthreads() { __syncthreads_count(0); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __threadfence(); }
static inline void __threadfence_system() { __threadfence(); }

// ---- votes and shuffles -----------------------------------------------------------------------
static inline unsigned __ballot_sync(unsigned mask, int p) {
  return oracle_warp->meet(mask, oracle_lane, p != 0, [=](OracleDoor &door) {
    unsigned bits = 0;
    for (int i = 0; i < 32; i++)
      if ((mask & door.present[0]) >> i & 1 && door.taken[i]) bits |= 1u << i;
    return bits;
  });
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }
static inline void __syncwarp(unsigned mask = ~0u) { __ballot_sync(mask, 0); }
// Threads of a warp run on their own here, so each is the only one that is surely together.
static inline unsigned __activemask() { return 1u << oracle_lane; }

template <class T> uint64_t oracle_bits(T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T> T oracle_shuffle(unsigned mask, T value, unsigned source, bool inside) {
  uint64_t bits = oracle_warp->meet(mask, oracle_lane, oracle_bits(value), [=](OracleDoor &door) {
    return door.taken[inside ? source : oracle_lane];
  });
  T result;
  memcpy(&result, &bits, sizeof result);
  return result;
}
// As the PTX document has it: the distance counts modulo 32; a lane outside keeps its own value.
template <class T> T __shfl_sync(unsigned mask, T v, int source, int width = 32) {
  unsigned segment = oracle_lane & ~(width - 1u);
  return oracle_shuffle(mask, v, segment | (source & (width - 1)), true);
}
template <class T> T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int first = oracle_lane & ~(width - 1u), source = (int)oracle_lane - (int)(delta & 31);
  return oracle_shuffle(mask, v, source, source >= first);
}
template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  int last = oracle_lane | (width - 1u), source = (int)oracle_lane + (int)(delta & 31);
  return oracle_shuffle(mask, v, source, source <= last);
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32) {
  int last = oracle_lane | (width - 1u), source = (int)oracle_lane ^ (bits & 31);
  return oracle_shuffle(mask, v, source, source <= last);
}
template <class T> unsigned __match_any_sync(unsigned mask, T value) {
  uint64_t mine = oracle_bits(value);
  return oracle_warp->meet(mask, oracle_lane, mine, [=](OracleDoor &door) {
    unsigned bits = 0;
    for (int i = 0; i < 32; i++)
      if ((mask & door.present[0]) >> i & 1 && door.taken[i] == mine) bits |= 1u << i;
    return bits;
  });
}
template <class T> unsigned __match_all_sync(unsigned mask, T value, int *all) {
  unsigned present = __ballot_sync(mask, 1), same = __match_any_sync(mask, value);
  *all = same == present;
  return *all ? same : 0;
}

// ---- atomic functions: a compare-and-swap on the bits, in a loop ---------------------------------
template <int SIZE> struct OracleWord { typedef uint32_t type; };
template <> struct OracleWord<2> { typedef uint16_t type; };
template <> struct OracleWord<8> { typedef uint64_t type; };
template <class T> struct OracleSame { typedef T type; };

template <class T, class F> T oracle_atomic(volatile T *at, F change) {
  typedef typename OracleWord<sizeof(T)>::type Word;
  Word *word = (Word *)const_cast<T *>(at), before = __atomic_load_n(word, __ATOMIC_SEQ_CST), after;
  T old, next;
  do {
    memcpy(&old, &before, sizeof old);
    next = change(old);
    memcpy(&after, &next, sizeof after);
  } while (!__atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST));
  return old;
}
// Sums wrap: integers are added without a sign.
template <class T> T oracle_sum(T a, T b) {
  typedef typename OracleWord<sizeof(T)>::type Word;
  return (T)((Word)a + (Word)b);
}
static inline float oracle_sum(float a, float b) { return a + b; }

#define ORACLE_ATOMIC(NAME, RESULT)                                                                \
  template <class T> T NAME(T *p, typename OracleSame<T>::type v) {                                \
    return oracle_atomic(p, [=](T o) -> T { return RESULT; });                                     \
  }                                                                                                \
  template <class T> T NAME(volatile T *p, typename OracleSame<T>::type v) {                       \
    return NAME(const_cast<T *>(p), v);                                                            \
  }                                                                                                \
  template <class T> T NAME##_block(T *p, typename OracleSame<T>::type v) { return NAME(p, v); }   \
  template <class T> T NAME##_system(T *p, typename OracleSame<T>::type v) { return NAME(p, v); }
ORACLE_ATOMIC(atomicAdd, oracle_sum(o, v))
ORACLE_ATOMIC(atomicSub, oracle_sum(o, (T)(0 - (typename OracleWord<sizeof(T)>::type)v)))
ORACLE_ATOMIC(atomicMin, o < v ? o : v)
ORACLE_ATOMIC(atomicMax, o > v ? o : v)
ORACLE_ATOMIC(atomicAnd, o & v)
ORACLE_ATOMIC(atomicOr, o | v)
ORACLE_ATOMIC(atomicXor, o ^ v)
ORACLE_ATOMIC(atomicExch, v)
ORACLE_ATOMIC(atomicInc, o >= v ? 0 : o + 1)
ORACLE_ATOMIC(atomicDec, o == 0 || o > v ? v : o - 1)
template <class T>
T atomicCAS(T *p, typename OracleSame<T>::type expected, typename OracleSame<T>::type v) {
  return oracle_atomic(p, [=](T o) { return o == expected ? v : o; });
}
template <class T>
T atomicCAS(volatile T *p, typename OracleSame<T>::type e, typename OracleSame<T>::type v) {
  return atomicCAS(const_cast<T *>(p), e, v);
}

#include "cuda_numbers.h"
#include "cuda_launch.h"
