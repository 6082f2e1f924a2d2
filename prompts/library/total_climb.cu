__global__ void total_climb(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int climb = 0;
        for (int i = 1; i < n; i++) {
            if (a[i] > a[i - 1]) {
                climb += a[i] - a[i - 1];
            }
        }
        out[0] = climb;
    }
}
