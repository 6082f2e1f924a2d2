__global__ void odd_even_sort(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) out[i] = a[i];
    __syncthreads();
    for (int round = 0; round < n; round++) {
        for (int i = 2 * threadIdx.x + round % 2; i + 1 < n; i += 64) {
            if (out[i] > out[i + 1]) {
                int t = out[i];
                out[i] = out[i + 1];
                out[i + 1] = t;
            }
        }
        __syncthreads();
    }
}
