__global__ void powers_modulo(const int* a, int n, int k, int m, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int result = 1 % m;
        for (int e = 0; e < k; e++) {
            result = result * a[i] % m;
        }
        out[i] = result;
    }
}
