__global__ void last_negative(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = n - 1; i >= 0; i--) {
            if (a[i] < 0) {
                out[0] = a[i];
                break;
            }
        }
    }
}
