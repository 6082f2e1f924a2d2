__global__ void multiply_matrices(const int* a, const int* b, int n, int* out) {
    for (int i = threadIdx.x; i < n * n; i += 32) {
        int row = i / n;
        int col = i % n;
        int sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + col];
        }
        out[i] = sum;
    }
}
