__global__ void rotate_left(const int* a, int n, int k, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        out[i] = a[(i + k) % n];
    }
}
