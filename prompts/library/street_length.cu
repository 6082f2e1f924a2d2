__global__ void street_length(const int* a, const int* b, int n, int* out) {
    for (int i = threadIdx.x + 1; i < n; i += 32) {
        atomicAdd(out, abs(a[i] - a[i - 1]) + abs(b[i] - b[i - 1]));
    }
}
