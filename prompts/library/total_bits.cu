__global__ void total_bits(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        atomicAdd(out, __popc(a[i]));
    }
}
