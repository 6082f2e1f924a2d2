// run: --in a=12,18 --out g=1
// expect: g = 6
// note: main
#include <iostream>
__host__ __device__ int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
__global__ void k(const int *a, int *g) { *g = gcd(a[0], a[1]); }
int main() { std::cout << gcd(12, 18) << std::endl; }
