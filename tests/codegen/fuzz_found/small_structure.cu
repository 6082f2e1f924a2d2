struct Pair { short x; signed char y; };
__device__ __noinline__ Pair pair(short x, signed char y) {
  Pair r;
  r.x = x;
  r.y = y;
  return r;
}
__global__ void small_structure(const int *in, long long *out) {
  Pair r = pair((short)in[0], (signed char)in[1]);
  out[0] = r.x;
  out[1] = r.y;
}
