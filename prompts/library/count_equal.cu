__global__ void count_equal(const int* a, int n, int x, int* out) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] == x) atomicAdd(&total, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = total;
}
