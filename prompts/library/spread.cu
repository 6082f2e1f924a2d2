__global__ void spread(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int low = a[0];
        int high = a[0];
        for (int i = 1; i < n; i++) {
            low = min(low, a[i]);
            high = max(high, a[i]);
        }
        out[0] = high - low;
    }
}
