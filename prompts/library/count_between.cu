__global__ void count_between(const int* a, int n, int lo, int hi, int* out) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] >= lo && a[i] <= hi) {
                count++;
            }
        }
        out[0] = count;
    }
}
