__global__ void divisor_counts(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int count = 0;
        for (int d = 1; d <= a[i]; d++) {
            if (a[i] % d == 0) {
                count++;
            }
        }
        out[i] = count;
    }
}
