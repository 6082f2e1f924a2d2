__global__ void keep_above(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] > k) {
                count++;
                out[count] = a[i];
            }
        }
        out[0] = count;
    }
}
