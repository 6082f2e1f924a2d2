// error: no_kernel.cu: no kernel here: write a __global__ function
int main() { return 0; }
