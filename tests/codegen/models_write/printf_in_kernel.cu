// error: printf_in_kernel.cu:5:25: printf is not supported: write what you want to see to an output
#include <cstdio>

__global__ void hello(int *a) {
  if (threadIdx.x == 0) printf("hello %d\n", a[0]);
}
