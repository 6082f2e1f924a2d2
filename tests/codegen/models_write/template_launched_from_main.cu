// run: --block 3 --out to=3 --set value=9
// expect: to = 9, 9, 9
// note: main
template <typename T>
__global__ void fill(T *to, T value) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main() {
  int *d;
  cudaMalloc(&d, 12);
  fill<<<1, 3>>>(d, 9);
  return cudaDeviceSynchronize();
}
