// run: --block 4 --in v=3,9,-2,5 --in r=0,-100,100,7,255 --out r=5
// expect: r = 15, 9, -2, 11, 1
__global__ void k(const int *v, int *r) {
  int x = v[threadIdx.x];
  atomicAdd(&r[0], x);
  atomicMax(&r[1], x);
  atomicMin(&r[2], x);
  atomicInc((unsigned *)&r[3], 100u);
  atomicAnd(&r[4], x | 1);
}
