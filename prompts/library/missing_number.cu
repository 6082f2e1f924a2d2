__global__ void missing_number(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n + 1; i += 32) {
        atomicAdd(out, i + 1);
    }
    for (int i = threadIdx.x; i < n; i += 32) {
        atomicSub(out, a[i]);
    }
}
