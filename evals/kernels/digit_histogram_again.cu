// gives out[0..9]; order free
__global__ void digit_histogram(const int* a, int n, int* out) {
    int d = threadIdx.x;
    if (d < 10) {
        for (int i = 0; i < n; i++) {
            int x = a[i];
            if (x == 0 && d == 0) out[d]++;
            while (x > 0) {
                if (x % 10 == d) out[d]++;
                x = x / 10;
            }
        }
    }
}
