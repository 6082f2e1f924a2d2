__global__ void digits_to_number(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int value = 0;
        for (int i = 0; i < n; i++) {
            value = value * k + a[i];
        }
        out[0] = value;
    }
}
