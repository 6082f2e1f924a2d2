__global__ void differences(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n - 1; i += 32) {
        out[i] = a[i + 1] - a[i];
    }
}
