__global__ void reverse_digits(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int rest = a[i];
        int reversed = 0;
        while (rest > 0) {
            reversed = reversed * 10 + rest % 10;
            rest /= 10;
        }
        out[i] = reversed;
    }
}
