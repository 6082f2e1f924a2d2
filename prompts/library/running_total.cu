__global__ void running_total(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += a[i];
            out[i] = sum;
        }
    }
}
