__global__ void sum_positive(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] > 0) {
            atomicAdd(out, a[i]);
        }
    }
}
