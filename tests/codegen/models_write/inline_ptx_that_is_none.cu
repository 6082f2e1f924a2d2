// error: inline_ptx_that_is_none.cu:5:3: inline PTX: PTX syntax error at '}'
__global__ void k(int *o) {
  asm volatile("mov.u32 %0, 1;" : "=r"(o[0]));
  o[1] = 3;
  asm("foo bar }{ ;");
  o[2] = 4;
}
