__global__ void remainder_counts(const int* a, int n, int k, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        atomicAdd(&out[a[i] % k], 1);
    }
}
