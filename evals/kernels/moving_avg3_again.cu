// gives out[0..n-3]; order matters
__global__ void moving_avg3(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int sum = a[0] + a[1];
        for (int i = 2; i < n; i++) {
            sum += a[i];
            out[i - 2] = sum / 3;
            sum -= a[i - 2];
        }
    }
}
