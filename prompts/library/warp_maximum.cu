__global__ void warp_maximum(const int* a, int n, int* out) {
    int best = a[0];
    for (int i = threadIdx.x; i < n; i += 32) {
        best = max(best, a[i]);
    }
    for (int step = 16; step > 0; step /= 2) {
        best = max(best, __shfl_xor_sync(0xffffffff, best, step));
    }
    if (threadIdx.x == 0) out[0] = best;
}
