// run: --block 4 --in a=1,2,3 --in b=10,20,30 --out c=3 --set n=3
// expect: c = 11, 22, 33
// note: main
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                              \
  do {                                                                           \
    cudaError_t err = (call);                                                    \
    if (err != cudaSuccess) {                                                    \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
      exit(EXIT_FAILURE);                                                        \
    }                                                                            \
  } while (0)

__global__ void vectorAdd(const int *a, const int *b, int *c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(void) {
  int n = 3, size = n * sizeof(int);
  int h_a[] = {1, 2, 3}, h_b[] = {10, 20, 30}, h_c[3];
  int *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, size));
  CHECK(cudaMalloc((void **)&d_b, size));
  CHECK(cudaMalloc(&d_c, size));
  CHECK(cudaMemcpy(d_a, h_a, size, cudaMemcpyHostToDevice));
  vectorAdd<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h_c, d_c, size, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) printf("%d ", h_c[i]);
  cudaFree(d_a);
  return 0;
}
