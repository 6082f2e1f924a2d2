__global__ void longest_streak(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int streak = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] > k) {
                streak++;
            } else {
                streak = 0;
            }
            out[0] = max(out[0], streak);
        }
    }
}
