__global__ void multiply_polynomials(const int* a, int n, const int* b, int m, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        for (int j = 0; j < m; j++) {
            atomicAdd(&out[i + j], a[i] * b[j]);
        }
    }
}
