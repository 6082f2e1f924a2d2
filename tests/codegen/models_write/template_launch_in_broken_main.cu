// run: --block 2 --out to=2 --set value=-3
// expect: to = -3, -3
// note: main
#include <string>
template <typename T>
__global__ void fill(T *to, T value) {
  to[threadIdx.x] = value;
}

int main() {
  std::filesystem::path where = "x";
  short *d = nullptr;
  fill<short><<<1, 2>>>(d, -3);
}
