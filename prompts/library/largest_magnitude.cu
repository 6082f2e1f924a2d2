__global__ void largest_magnitude(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int best = a[0];
        for (int i = 1; i < n; i++) {
            if (abs(a[i]) > abs(best)) best = a[i];
        }
        out[0] = best;
    }
}
