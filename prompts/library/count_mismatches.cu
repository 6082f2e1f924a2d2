__global__ void count_mismatches(const int* a, int n, const int* b, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] != b[i]) {
            atomicAdd(out, 1);
        }
    }
}
