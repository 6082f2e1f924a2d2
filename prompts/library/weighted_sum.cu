__global__ void weighted_sum(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += a[i] * (i + 1);
        }
        out[0] = sum;
    }
}
