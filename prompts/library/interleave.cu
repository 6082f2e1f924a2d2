__global__ void interleave(const int* a, int n, const int* b, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        out[2 * i] = a[i];
        out[2 * i + 1] = b[i];
    }
}
