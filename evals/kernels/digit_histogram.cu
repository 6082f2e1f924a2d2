// gives out[0..9]; order free
__global__ void digit_histogram(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int rest = a[i];
        do {
            atomicAdd(&out[rest % 10], 1);
            rest /= 10;
        } while (rest > 0);
    }
}
