// run: --in données=4,2 --out größe=1
// expect: größe = 6
__global__ void сумма(const int *données, int *größe) { *größe = données[0] + données[1]; }
