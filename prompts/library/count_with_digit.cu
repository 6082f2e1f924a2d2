__global__ void count_with_digit(const int* a, int n, int d, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            int rest = a[i];
            int found = 0;
            do {
                if (rest % 10 == d) found = 1;
                rest /= 10;
            } while (rest > 0);
            out[0] += found;
        }
    }
}
