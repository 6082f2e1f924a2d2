__global__ void sum_multiples(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] % k == 0) {
                sum += a[i];
            }
        }
        out[0] = sum;
    }
}
