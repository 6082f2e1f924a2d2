__global__ void and_or(const int* a, int n, int* out) {
    if (threadIdx.x == 0) out[0] = -1;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32) {
        atomicAnd(&out[0], a[i]);
        atomicOr(&out[1], a[i]);
    }
}
