// A division whose divisor is tested first, inside a loop in which neither changes.
__device__ __noinline__ int odd(int a) { return a * 77 + 1; }
__global__ void guarded_division(const short *in, int *out, int rounds) {
  int a = in[threadIdx.x], b = (short)(in[threadIdx.x] << 4), v = 0;
  for (int i = 0; i < rounds; i++) {
    v = odd(v);
    out[threadIdx.x] = v;
    v += b == 0 ? i : a / b;
  }
  out[threadIdx.x + 4] = v;
}
