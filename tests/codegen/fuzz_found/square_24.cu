// The low 32 bits of a product of 24 bits may be negative, even of a square.
__global__ void square_24(const int *in, int *out) {
  int square = __mul24(in[threadIdx.x], in[threadIdx.x]);
  out[2 * threadIdx.x] = square;
  out[2 * threadIdx.x + 1] = square < 0;
}
