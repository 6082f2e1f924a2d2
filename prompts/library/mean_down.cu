__global__ void mean_down(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += a[i];
        }
        int mean = sum / n;
        if (sum % n < 0) {
            mean--;
        }
        out[0] = mean;
    }
}
