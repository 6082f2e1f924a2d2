__global__ void count_common(const int* a, int n, const int* b, int m, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int found = 0;
        for (int j = 0; j < m; j++) {
            if (b[j] == a[i]) found = 1;
        }
        atomicAdd(out, found);
    }
}
