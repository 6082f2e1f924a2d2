// error: new_in_kernel.cu:3:12: malloc is not supported: use a local or shared array
__global__ void k(int *a, int n) {
  int *b = new int[n];
  b[a[0]] = 1;
  a[1] = b[a[2]];
  delete[] b;
}
