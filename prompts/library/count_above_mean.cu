__global__ void count_above_mean(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += a[i];
        }
        for (int i = 0; i < n; i++) {
            if (a[i] * n > sum) {
                out[0]++;
            }
        }
    }
}
