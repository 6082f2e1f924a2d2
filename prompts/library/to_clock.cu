__global__ void to_clock(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        out[3 * i] = a[i] / 3600;
        out[3 * i + 1] = a[i] / 60 % 60;
        out[3 * i + 2] = a[i] % 60;
    }
}
