// error: host_function_called.cu:4:
int helper(int x) { return x + 1; }
__global__ void k(int *a) {
  a[0] = helper(a[1]);
}
