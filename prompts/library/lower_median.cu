__global__ void lower_median(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int rank = 0;
        for (int j = 0; j < n; j++) {
            if (a[j] < a[i] || (a[j] == a[i] && j < i)) {
                rank++;
            }
        }
        if (rank == (n - 1) / 2) {
            out[0] = a[i];
        }
    }
}
