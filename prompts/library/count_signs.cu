__global__ void count_signs(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            if (a[i] < 0) {
                out[0]++;
            } else if (a[i] == 0) {
                out[1]++;
            } else {
                out[2]++;
            }
        }
    }
}
