// run: --block 2 --in a=1,2,3,4,5,6,7,8 --out b=2
// expect: b = 10, 26
#include <vector_types.h>
__global__ void rows(const int4 *a, int *b) {
  int4 v = a[threadIdx.x];
  int2 s = make_int2(v.x + v.y, v.z + v.w);
  b[threadIdx.x] = s.x + s.y;
}
