__global__ void decade_counts(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            int bin = a[i] / 10;
            out[bin]++;
        }
    }
}
