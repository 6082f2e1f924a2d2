// error: inline_ptx_unknown.cu:3:3: unsupported PTX instruction
__global__ void k(int *b) {
  asm volatile("frobnicate.s32 %0, 3;" : "=r"(b[0]));
}
