// run: --in a=5 --out b=1
// expect: b = 10

__global__ void k(const int *a, int *b)
{
    *b = *a + *a;
}
