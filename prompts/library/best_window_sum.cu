__global__ void best_window_sum(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < k; i++) sum += a[i];
        int best = sum;
        for (int i = k; i < n; i++) {
            sum += a[i] - a[i - k];
            best = max(best, sum);
        }
        out[0] = best;
    }
}
