// run: --block 32 --in v=1,0,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1 --out o:u32=2
// expect: o = 2147483661, 4
__global__ void k(const int *v, unsigned *o) {
  unsigned votes = __ballot_sync(0xffffffff, v[threadIdx.x]);
  __syncwarp();
  if (threadIdx.x == 0) { o[0] = votes; o[1] = __popc(votes); }
}
