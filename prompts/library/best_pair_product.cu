__global__ void best_pair_product(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int best = a[0] * a[1];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                best = max(best, a[i] * a[j]);
            }
        }
        out[0] = best;
    }
}
