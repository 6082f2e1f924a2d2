__global__ void count_last_digit(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            if (abs(a[i]) % 10 == k) {
                count++;
            }
        }
        out[0] = count;
    }
}
