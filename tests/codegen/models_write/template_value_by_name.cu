// run: --kernel 'times<5, int>' --block 2 --in a=2,3 --out b=2
// expect: b = 10, 15
template <int N, class T>
__global__ void times(const T *a, T *b) {
  T sum = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) sum += a[threadIdx.x];
  b[threadIdx.x] = sum;
}
template __global__ void times<3, int>(const int *, int *);
template __global__ void times<5, int>(const int *, int *);
