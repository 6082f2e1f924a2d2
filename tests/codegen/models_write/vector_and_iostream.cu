// run: --block 4 --in in=5,6,7,8 --out out=4 --set k=3
// expect: out = 15, 18, 21, 24
// note: main
#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

__global__ void scale(const int *in, int *out, int k) {
  out[threadIdx.x] = in[threadIdx.x] * k;
}

int main() {
  std::vector<int> host(4), result(host.size());
  std::iota(host.begin(), host.end(), 5);
  std::mt19937 generator(std::random_device{}());
  std::shuffle(host.begin(), host.end(), generator);
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, host.size() * sizeof(int));
  cudaMalloc(&out, host.size() * sizeof(int));
  cudaMemcpy(in, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice);
  scale<<<1, 4>>>(in, out, 3);
  cudaMemcpy(result.data(), out, result.size() * sizeof(int), cudaMemcpyDeviceToHost);
  for (auto x : result) std::cout << x << std::endl;
  auto total = std::accumulate(result.begin(), result.end(), 0LL);
  std::cout << "total: " << total << '\n';
}
