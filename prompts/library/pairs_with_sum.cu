__global__ void pairs_with_sum(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                if (a[i] + a[j] == k) count++;
            }
        }
        out[0] = count;
    }
}
