// run: --in a=4,8,15,16 --out best=2
// expect: best = 16, 3
__global__ void argmax(const int *a, int *best) {
  int local[4];
  for (auto &slot : local) slot = 0;
  auto index = 0;
  auto top = a[0];
  for (auto i = 0; i < 4; ++i) {
    local[i] = a[i];
    if (local[i] > top) { top = local[i]; index = i; }
  }
  best[0] = top;
  best[1] = index;
}
