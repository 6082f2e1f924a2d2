__global__ void closest_pair(const int* a, const int* b, int n, int* out) {
    if (threadIdx.x == 0) out[0] = 2147483647;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32) {
        for (int j = 0; j < i; j++) {
            int dx = a[i] - a[j];
            int dy = b[i] - b[j];
            atomicMin(out, dx * dx + dy * dy);
        }
    }
}
