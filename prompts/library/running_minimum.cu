__global__ void running_minimum(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int low = a[0];
        for (int i = 0; i < n; i++) {
            low = min(low, a[i]);
            out[i] = low;
        }
    }
}
