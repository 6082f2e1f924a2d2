// run: --block 4 --in op=0,1,2,3 --out r=4 --set a=7 --set b=5
// expect: r = 12, 2, 35, 1
enum class Op : int { Add, Sub, Mul, Div };
__global__ void calc(const int *op, int *r, int a, int b) {
  switch (static_cast<Op>(op[threadIdx.x])) {
    case Op::Add: r[threadIdx.x] = a + b; break;
    case Op::Sub: r[threadIdx.x] = a - b; break;
    case Op::Mul: r[threadIdx.x] = a * b; break;
    case Op::Div: r[threadIdx.x] = b ? a / b : 0; break;
  }
}
