__global__ void reverse_list(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        out[i] = a[n - 1 - i];
    }
}
