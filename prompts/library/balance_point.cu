__global__ void balance_point(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int total = 0;
        for (int i = 0; i < n; i++) total += a[i];
        int left = 0;
        out[0] = -1;
        for (int i = 0; i < n; i++) {
            if (left == total - left - a[i]) {
                out[0] = i;
                break;
            }
            left += a[i];
        }
    }
}
