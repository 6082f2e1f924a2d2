__global__ void dice_counts(const int* a, int n, int* out) {
    __shared__ int count[6];
    if (threadIdx.x < 6) count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32) {
        atomicAdd(&count[a[i] - 1], 1);
    }
    __syncthreads();
    if (threadIdx.x < 6) out[threadIdx.x] = count[threadIdx.x];
}
