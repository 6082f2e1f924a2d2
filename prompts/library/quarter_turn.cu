__global__ void quarter_turn(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n * n; i += 32) {
        int r = i / n;
        int c = i % n;
        out[c * n + (n - 1 - r)] = a[i];
    }
}
