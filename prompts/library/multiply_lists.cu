__global__ void multiply_lists(const int* a, int n, const int* b, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        out[i] = a[i] * b[i];
    }
}
