__global__ void subset_sum(const int* a, int n, int k, int* out) {
    __shared__ int can[256];
    if (threadIdx.x == 0) {
        can[0] = 1;
        for (int s = 1; s <= k; s++) can[s] = 0;
        for (int i = 0; i < n; i++) {
            for (int s = k; s >= a[i]; s--) {
                if (can[s - a[i]]) can[s] = 1;
            }
        }
        out[0] = can[k];
    }
}
