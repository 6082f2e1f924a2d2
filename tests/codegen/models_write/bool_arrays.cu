// run: --block 4 --in flags=1,0,1,1 --in v=5,6,7,8 --out o=4 --out inverted=4
// expect: o = 5, 0, 7, 8
// expect: inverted = 0, 1, 0, 0
__global__ void mask(const bool *flags, const int *v, int *o, bool *inverted) {
  int i = threadIdx.x;
  o[i] = flags[i] ? v[i] : 0;
  inverted[i] = !flags[i];
}
