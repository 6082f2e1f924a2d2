// What the threads of a warp, or of a block, find out together: matches, reductions, counts.
#pragma once

template <class T> VGPU_DEVICE unsigned int __match_any_sync(unsigned int mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any_sync takes 32 or 64 bits");
  unsigned int lanes;
  if (sizeof(T) == 8)
    asm volatile("match.any.sync.b64 %0, %1, %2;"
                 : "=r"(lanes) : "l"((unsigned long long)value), "r"(mask));
  else
    asm volatile("match.any.sync.b32 %0, %1, %2;"
                 : "=r"(lanes) : "r"((unsigned int)value), "r"(mask));
  return lanes;
}
template <class T> VGPU_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int *same) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_all_sync takes 32 or 64 bits");
  unsigned int lanes;
  if (sizeof(T) == 8)
    asm volatile("match.all.sync.b64 %0, %1, %2;"
                 : "=r"(lanes) : "l"((unsigned long long)value), "r"(mask));
  else
    asm volatile("match.all.sync.b32 %0, %1, %2;"
                 : "=r"(lanes) : "r"((unsigned int)value), "r"(mask));
  *same = lanes != 0;
  return lanes;
}

#define VGPU_REDUCE(NAME, OP, T)                                                              \
  VGPU_DEVICE T NAME(unsigned int mask, T value) {                                            \
    T result;                                                                                 \
    asm volatile("redux.sync." OP " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));     \
    return result;                                                                            \
  }
VGPU_REDUCE(__reduce_add_sync, "add.s32", int)
VGPU_REDUCE(__reduce_add_sync, "add.u32", unsigned int)
VGPU_REDUCE(__reduce_min_sync, "min.s32", int)
VGPU_REDUCE(__reduce_min_sync, "min.u32", unsigned int)
VGPU_REDUCE(__reduce_max_sync, "max.s32", int)
VGPU_REDUCE(__reduce_max_sync, "max.u32", unsigned int)
VGPU_REDUCE(__reduce_and_sync, "and.b32", unsigned int)
VGPU_REDUCE(__reduce_or_sync, "or.b32", unsigned int)
VGPU_REDUCE(__reduce_xor_sync, "xor.b32", unsigned int)
#undef VGPU_REDUCE

VGPU_DEVICE int __syncthreads_count(int p) {
  int count;
  asm volatile("{ .reg .pred said; setp.ne.s32 said, %1, 0; bar.red.popc.u32 %0, 0, said; }"
               : "=r"(count) : "r"(p) : "memory");
  return count;
}
#define VGPU_SYNC(NAME, HOW)                                                                  \
  VGPU_DEVICE int NAME(int p) {                                                               \
    int result;                                                                               \
    asm volatile("{ .reg .pred said; setp.ne.s32 said, %1, 0; bar.red." HOW                   \
                 ".pred said, 0, said; selp.s32 %0, 1, 0, said; }"                            \
                 : "=r"(result) : "r"(p) : "memory");                                         \
    return result;                                                                            \
  }
VGPU_SYNC(__syncthreads_and, "and")
VGPU_SYNC(__syncthreads_or, "or")
#undef VGPU_SYNC

VGPU_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  unsigned int place;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(place) : "r"(mask), "r"(base), "r"(offset));
  return place;
}
