__global__ void longest_run(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int length = 1;
        int best = 1;
        for (int i = 1; i < n; i++) {
            length = a[i] == a[i - 1] ? length + 1 : 1;
            best = max(best, length);
        }
        out[0] = best;
    }
}
