__global__ void zeros_last(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int at = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] != 0) {
                out[at] = a[i];
                at++;
            }
        }
    }
}
