__global__ void determinants(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        const int* m = a + 4 * i;
        out[i] = m[0] * m[3] - m[1] * m[2];
    }
}
