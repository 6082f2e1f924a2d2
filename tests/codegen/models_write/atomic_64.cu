// run: --block 4 --in v=3,9,2,5 --in total:u64=4294967295 --out total=1
// expect: total = 4294967314
__global__ void k(const int *v, unsigned long long *total) {
  atomicAdd(total, (unsigned long long)v[threadIdx.x]);
}
