// run: --block 2 --in a=3,-4 --out b=2
// expect: b = 9, 16
template <typename T>
__device__ T squared(T x) { return x * x; }

template <typename T>
__global__ void map(const T *a, T *b) { b[threadIdx.x] = squared(a[threadIdx.x]); }

template __global__ void map<int>(const int *, int *);
