__global__ void k(unsigned* o) {
  unsigned t = threadIdx.x, v = t;
  if (t < 16) { v = __shfl_xor_sync(0xffffu, v, 1); v += __shfl_xor_sync(0xffffu, v, 2); }
  o[t] = __ballot_sync(0xffffffffu, v < 100);
}
