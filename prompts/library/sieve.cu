__global__ void sieve(int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 2; i <= n; i++) {
            out[i] = 1;
        }
        for (int p = 2; p * p <= n; p++) {
            if (out[p]) {
                for (int i = p * p; i <= n; i += p) {
                    out[i] = 0;
                }
            }
        }
    }
}
