__global__ void find_parallel(const int* a, int n, int x, int* out) {
    __shared__ int first;
    if (threadIdx.x == 0) first = n;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] == x) atomicMin(&first, i);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = first;
}
