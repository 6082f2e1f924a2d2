__global__ void smallest_step(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int best = abs(a[1] - a[0]);
        for (int i = 2; i < n; i++) {
            best = min(best, abs(a[i] - a[i - 1]));
        }
        out[0] = best;
    }
}
