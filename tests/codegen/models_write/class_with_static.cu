// run: --in seed:u32=42 --out v:u32=2
// expect: v = 1083814273, 378494188
#include <cstdint>
class Lcg {
 public:
  __device__ explicit Lcg(uint32_t seed) : state(seed) {}
  __device__ uint32_t next() { return state = A * state + C; }
 private:
  static constexpr uint32_t A = 1664525u, C = 1013904223u;
  uint32_t state;
};
__global__ void k(const uint32_t *seed, uint32_t *v) {
  Lcg g(*seed);
  v[0] = g.next();
  v[1] = g.next();
}
