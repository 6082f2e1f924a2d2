__global__ void coin_ways(const int* a, int n, int k, int* out) {
    __shared__ int ways[201];
    if (threadIdx.x == 0) {
        ways[0] = 1;
        for (int s = 1; s <= k; s++) ways[s] = 0;
        for (int i = 0; i < n; i++) {
            for (int s = a[i]; s <= k; s++) {
                ways[s] += ways[s - a[i]];
            }
        }
        out[0] = ways[k];
    }
}
