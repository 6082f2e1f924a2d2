__global__ void no_neighbours_sum(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int taken = 0;
        int skipped = 0;
        for (int i = 0; i < n; i++) {
            int best = max(taken, skipped);
            taken = skipped + a[i];
            skipped = best;
        }
        out[0] = max(taken, skipped);
    }
}
