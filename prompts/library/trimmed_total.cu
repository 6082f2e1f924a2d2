__global__ void trimmed_total(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        int low = a[0];
        int high = a[0];
        for (int i = 0; i < n; i++) {
            sum += a[i];
            low = min(low, a[i]);
            high = max(high, a[i]);
        }
        out[0] = sum - low - high;
    }
}
