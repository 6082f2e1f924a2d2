// error: undeclared_variable.cu:3:10: error: use of undeclared identifier 'total'
__global__ void k(int *a) {
  a[0] = total;
}
