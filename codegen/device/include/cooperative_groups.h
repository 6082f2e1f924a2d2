// The part of cooperative groups that one block needs: the block, and tiles of a warp.
#ifndef VGPU_COOPERATIVE_GROUPS_H
#define VGPU_COOPERATIVE_GROUPS_H
#include "vgpu_device.h"

#define VGPU_METHOD __inline__ __attribute__((always_inline)) __device__
namespace cooperative_groups {

struct thread_block {
  VGPU_METHOD static void sync() { __syncthreads(); }
  VGPU_METHOD static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  VGPU_METHOD static unsigned int num_threads() { return size(); }
  VGPU_METHOD static unsigned int thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  VGPU_METHOD static dim3 group_index() { return blockIdx; }
  VGPU_METHOD static dim3 thread_index() { return threadIdx; }
  VGPU_METHOD static dim3 group_dim() { return blockDim; }
  VGPU_METHOD static dim3 dim_threads() { return blockDim; }
};
VGPU_DEVICE thread_block this_thread_block() { return thread_block(); }

// N neighbouring lanes of a warp; N is a power of two and at most 32.
template <unsigned int N> struct thread_block_tile {
  static_assert(N && N <= 32 && !(N & (N - 1)), "a tile has 1, 2, 4, 8, 16 or 32 threads");
  VGPU_METHOD static unsigned int lane() { return thread_block::thread_rank() % 32; }
  VGPU_METHOD static unsigned int first() { return lane() / N * N; }
  VGPU_METHOD static unsigned int mask() { return 0xffffffffu >> (32 - N) << first(); }
  VGPU_METHOD static constexpr unsigned int size() { return N; }
  VGPU_METHOD static constexpr unsigned int num_threads() { return N; }
  VGPU_METHOD static unsigned int thread_rank() { return lane() % N; }
  VGPU_METHOD static unsigned int meta_group_rank() { return thread_block::thread_rank() / N; }
  VGPU_METHOD static unsigned int meta_group_size() { return (thread_block::size() + N - 1) / N; }
  VGPU_METHOD static void sync() { __syncwarp(mask()); }
  template <class T> VGPU_METHOD T shfl(T v, int from) const {
    return __shfl_sync(mask(), v, from, (int)N);
  }
  template <class T> VGPU_METHOD T shfl_up(T v, unsigned int by) const {
    return __shfl_up_sync(mask(), v, by, (int)N);
  }
  template <class T> VGPU_METHOD T shfl_down(T v, unsigned int by) const {
    return __shfl_down_sync(mask(), v, by, (int)N);
  }
  template <class T> VGPU_METHOD T shfl_xor(T v, int by) const {
    return __shfl_xor_sync(mask(), v, by, (int)N);
  }
  VGPU_METHOD int any(int p) const { return __any_sync(mask(), p); }
  VGPU_METHOD int all(int p) const { return __all_sync(mask(), p); }
  VGPU_METHOD unsigned int ballot(int p) const { return __ballot_sync(mask(), p) >> first(); }
};
template <unsigned int N, class G> VGPU_DEVICE thread_block_tile<N> tiled_partition(const G &) {
  return thread_block_tile<N>();
}

template <class G> VGPU_DEVICE void sync(const G &group) { group.sync(); }
template <class G> VGPU_DEVICE unsigned int thread_rank(const G &g) { return g.thread_rank(); }
template <class T> struct plus {
  VGPU_METHOD T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
  VGPU_METHOD T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T> struct greater {
  VGPU_METHOD T operator()(T a, T b) const { return a > b ? a : b; }
};
template <unsigned int N, class T, class F>
VGPU_DEVICE T reduce(const thread_block_tile<N> &tile, T value, F combine) {
  for (unsigned int by = N / 2; by; by /= 2) value = combine(value, tile.shfl_xor(value, by));
  return value;
}

}  // namespace cooperative_groups
#endif
