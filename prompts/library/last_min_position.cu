__global__ void last_min_position(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int at = 0;
        for (int i = 1; i < n; i++) {
            if (a[i] <= a[at]) {
                at = i;
            }
        }
        out[0] = at;
    }
}
