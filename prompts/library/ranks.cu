__global__ void ranks(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int rank = 1;
        for (int j = 0; j < n; j++) {
            if (a[j] > a[i]) {
                rank++;
            }
        }
        out[i] = rank;
    }
}
