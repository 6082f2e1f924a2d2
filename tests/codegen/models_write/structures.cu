// run: --block 2 --in points=1,2,3,4 --out area=2
// expect: area = 6, 20
struct Point {
  int x, y;
  __device__ int area() const { return x * y; }
  __device__ Point operator+(const Point &o) const { return {x + o.x, y + o.y}; }
};
__global__ void areas(const Point *points, int *area) {
  Point one{1, 1};
  area[threadIdx.x] = (points[threadIdx.x] + one).area();
}
