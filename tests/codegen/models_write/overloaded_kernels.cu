// error: overloaded_kernels.cu: several kernels here (_Z1kPi, _Z1kPii, other): choose one with
__global__ void k(int *o) { o[0] = 1; }
__global__ void k(int *o, int n) { o[0] = n; }
__global__ void other(int *o) { o[0] = 2; }
