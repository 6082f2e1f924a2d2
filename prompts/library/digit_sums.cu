__global__ void digit_sums(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int rest = abs(a[i]);
        int sum = 0;
        while (rest > 0) {
            sum += rest % 10;
            rest /= 10;
        }
        out[i] = sum;
    }
}
