__global__ void majority(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int candidate = 0, lead = 0, votes = 0;
        for (int i = 0; i < n; i++) {
            if (lead == 0) candidate = a[i];
            lead += a[i] == candidate ? 1 : -1;
        }
        for (int i = 0; i < n; i++) {
            if (a[i] == candidate) votes++;
        }
        out[0] = 2 * votes > n ? candidate : -1;
    }
}
