__global__ void twice_area(const int* a, const int* b, int n, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int j = (i + 1) % n;
            sum += a[i] * b[j] - a[j] * b[i];
        }
        out[0] = abs(sum);
    }
}
