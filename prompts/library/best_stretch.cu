__global__ void best_stretch(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int ending = a[0];
        int best = a[0];
        for (int i = 1; i < n; i++) {
            ending = max(a[i], ending + a[i]);
            best = max(best, ending);
        }
        out[0] = best;
    }
}
