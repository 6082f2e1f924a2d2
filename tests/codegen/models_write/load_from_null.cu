// run: --out out=1
// fault: address outside memory
__global__ void k(int *out) {
  const int *p = nullptr;
  out[0] = *p;
}
