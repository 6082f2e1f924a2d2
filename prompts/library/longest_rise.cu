__global__ void longest_rise(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int best = 1;
        int length = 1;
        for (int i = 1; i < n; i++) {
            if (a[i] > a[i - 1]) {
                length++;
            } else {
                length = 1;
            }
            if (length > best) best = length;
        }
        out[0] = best;
    }
}
