// run: --kernel inner --in a=20 --out b=1
// expect: b = 21
namespace math {
namespace detail { __device__ inline int bump(int x) { return x + 1; } }
__global__ void inner(const int *a, int *b) { *b = detail::bump(*a); }
}
extern "C" __global__ void outer(int *b) { *b = 0; }
using namespace math;
