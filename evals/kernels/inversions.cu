// gives out[0]; order matters
__global__ void inversions(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int count = 0;
        for (int j = i + 1; j < n; j++) {
            if (a[i] > a[j]) count++;
        }
        atomicAdd(&out[0], count);
    }
}
