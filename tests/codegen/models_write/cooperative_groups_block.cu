// run: --block 8 --in v=1,2,3,4,5,6,7,8 --out o=2
// expect: o = 10, 26
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sums(const int *v, int *o) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<4>(block);
  int x = v[block.thread_rank()];
  for (int i = tile.size() / 2; i > 0; i /= 2) x += tile.shfl_down(x, i);
  block.sync();
  if (tile.thread_rank() == 0) o[tile.meta_group_rank()] = x;
}
