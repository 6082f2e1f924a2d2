// error: two_kernels.cu: several kernels here (first, second): choose one with --kernel
__global__ void first(int *a) { a[0] = 1; }
__global__ void second(int *a) { a[0] = 2; }
