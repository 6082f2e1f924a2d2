__global__ void count_above(const int* a, int n, int k, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] > k) {
            atomicAdd(out, 1);
        }
    }
}
