__global__ void count_rises(const int* a, int n, int* out) {
    for (int i = threadIdx.x + 1; i < n; i += 32) {
        if (a[i] > a[i - 1]) {
            atomicAdd(out, 1);
        }
    }
}
