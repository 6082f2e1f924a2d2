// error: missing_semicolon.cu:3:22: error: expected ';'
__global__ void k(int *a) {
  a[0] = blockIdx.x+1 
}
