// gives out[0]; order free
__global__ void count_even(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int odd = 0;
        for (int i = 0; i < n; i++) {
            odd += a[i] & 1;
        }
        out[0] = n - odd;
    }
}
