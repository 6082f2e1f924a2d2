__global__ void tank_levels(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int level = 0;
        for (int i = 0; i < n; i++) {
            level += a[i];
            if (level > k) level = k;
            if (level < 0) level = 0;
            out[i] = level;
        }
    }
}
