// run: --in values=4,2,8 --set count=3 --out largest=1
// expect: largest = 8
__global__ void max(const int *values, int count, int *largest) {
  int m = values[0];
  for (int i = 1; i < count; i++) m = max(m, values[i]);
  *largest = m;
}
