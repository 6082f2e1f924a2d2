__global__ void window_max(const int* a, int n, int k, int* out) {
    for (int i = threadIdx.x; i + k <= n; i += 32) {
        int best = a[i];
        for (int j = 1; j < k; j++) {
            best = max(best, a[i + j]);
        }
        out[i] = best;
    }
}
