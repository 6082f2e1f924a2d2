__global__ void merge_sorted(const int* a, int n, const int* b, int m, int* out) {
    if (threadIdx.x == 0) {
        int i = 0, j = 0;
        for (int k = 0; k < n + m; k++) {
            if (j == m || (i < n && a[i] <= b[j])) {
                out[k] = a[i];
                i++;
            } else {
                out[k] = b[j];
                j++;
            }
        }
    }
}
