// gives out[0]; order free
__global__ void largest_gap(const int* a, int n, int* out) {
    __shared__ int sorted[256];
    for (int i = threadIdx.x; i < n; i += 32) {
        int rank = 0;
        for (int j = 0; j < n; j++) {
            if (a[j] < a[i] || (a[j] == a[i] && j < i)) rank++;
        }
        sorted[rank] = a[i];
    }
    __syncthreads();
    for (int i = threadIdx.x + 1; i < n; i += 32) {
        atomicMax(&out[0], sorted[i] - sorted[i - 1]);
    }
}
