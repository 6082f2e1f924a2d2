// gives out[0]; order matters
__global__ void inversions(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 1; i < n; i++) {
            for (int j = 0; j < i; j++) {
                out[0] += a[j] > a[i];
            }
        }
    }
}
