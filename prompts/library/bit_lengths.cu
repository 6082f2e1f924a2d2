__global__ void bit_lengths(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int length = 0;
        for (int rest = a[i]; rest > 0; rest >>= 1) {
            length++;
        }
        out[i] = length;
    }
}
