__global__ void nearest_value(const int* a, int n, int x, int* out) {
    if (threadIdx.x == 0) {
        int best = a[0];
        for (int i = 1; i < n; i++) {
            if (abs(a[i] - x) < abs(best - x)) {
                best = a[i];
            }
        }
        out[0] = best;
    }
}
