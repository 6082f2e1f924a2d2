__global__ void waiting_times(const int* a, int n, const int* b, int* out) {
    if (threadIdx.x == 0) {
        int free_at = 0;
        for (int i = 0; i < n; i++) {
            int start = max(a[i], free_at);
            out[i] = start - a[i];
            free_at = start + b[i];
        }
    }
}
