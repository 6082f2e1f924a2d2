__global__ void despike(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (i == 0 || i == n - 1) {
            out[i] = a[i];
        } else {
            int low = min(a[i - 1], a[i + 1]);
            int high = max(a[i - 1], a[i + 1]);
            out[i] = max(low, min(high, a[i]));
        }
    }
}
