__global__ void count_peaks(const int* a, int n, int* out) {
    for (int i = threadIdx.x + 1; i < n - 1; i += 32) {
        if (a[i] > a[i - 1] && a[i] > a[i + 1]) {
            atomicAdd(out, 1);
        }
    }
}
