__global__ void group_sums(const int* a, int n, int k, int* out) {
    for (int g = threadIdx.x; g * k < n; g += 32) {
        int end = min(n, (g + 1) * k);
        int sum = 0;
        for (int i = g * k; i < end; i++) {
            sum += a[i];
        }
        out[g] = sum;
    }
}
