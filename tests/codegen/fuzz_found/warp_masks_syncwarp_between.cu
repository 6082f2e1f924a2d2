__global__ void k(unsigned* o) {
  int t = threadIdx.x; unsigned v = o[t];
  if (t < 16) { v += __shfl_xor_sync(0xffffu, v, 8); }
  else { v += __shfl_xor_sync(0xffff0000u, v, 8); v*=3; v+= __shfl_xor_sync(0xffff0000u, v, 4);}
  __syncwarp();
  o[t] = __ballot_sync(0xffffffffu, v < 1000);
}
