__global__ void longest_subsequence(const int* a, int n, int* out) {
    __shared__ int length[64];
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            length[i] = 1;
            for (int j = 0; j < i; j++) {
                if (a[j] < a[i]) {
                    length[i] = max(length[i], length[j] + 1);
                }
            }
            out[0] = max(out[0], length[i]);
        }
    }
}
