// run: --grid 2 --block 2 --in x=1,2,3,4,5,6,7 --out y=7 --set n=7
// expect: y = 1, 4, 9, 16, 25, 36, 49
__global__ void squares(int n, const int *x, int *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = x[i] * x[i];
}
