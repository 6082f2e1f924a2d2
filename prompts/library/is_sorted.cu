__global__ void is_sorted(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int ok = 1;
        for (int i = 1; i < n; i++) {
            if (a[i] < a[i - 1]) {
                ok = 0;
            }
        }
        out[0] = ok;
    }
}
