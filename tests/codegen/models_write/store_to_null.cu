// run: --out out=1
// fault: address outside memory
// folded: true
__global__ void k(int *out) {
  int *p = 0;
  *p = 5;
}
