__global__ void xor_all(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int x = 0;
        for (int i = 0; i < n; i++) {
            x ^= a[i];
        }
        out[0] = x;
    }
}
