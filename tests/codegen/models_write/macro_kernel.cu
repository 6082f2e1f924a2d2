// run: --block 3 --in x=1,2,3 --out y=3
// expect: y = 3, 5, 7
// note: main
#include <fstream>
#define KERNEL extern "C" __global__
#define GPU __device__ __forceinline__
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
GPU int affine(int x) { return 2 * x + 1; }
KERNEL void apply(const int *x, int *y) { y[TID] = affine(x[TID]); }
int main() { std::ofstream file("out.txt"); file << "}}"; Unknown thing; }
