__global__ void min_max_counts(const int* a, int n, int* out) {
    __shared__ int low, high;
    if (threadIdx.x == 0) { low = a[0]; high = a[0]; }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32) {
        atomicMin(&low, a[i]);
        atomicMax(&high, a[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) { out[0] = low; out[1] = high; }
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] == low) atomicAdd(&out[2], 1);
        if (a[i] == high) atomicAdd(&out[3], 1);
    }
}
