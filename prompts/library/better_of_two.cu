__global__ void better_of_two(const int* a, int n, const int* b, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        out[i] = max(a[i], b[i]);
    }
}
