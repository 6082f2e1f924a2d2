// run: --in values=4,2,8 --set count=3 --out smallest=1
// expect: smallest = 2
extern "C" __global__ void min(const int *values, int count, int *smallest) {
  int m = values[0];
  for (int i = 1; i < count; i++)
    if (values[i] < m) m = values[i];
  *smallest = m;
}
