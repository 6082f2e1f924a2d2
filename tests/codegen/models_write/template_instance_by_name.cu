// run: --kernel 'fill<unsigned char>' --block 2 --out to=2 --set value=250
// expect: to = 250, 250
template <typename T>
__global__ void fill(T *to, T value) {
  to[threadIdx.x] = value;
}
