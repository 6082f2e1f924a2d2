__global__ void alternating_sum(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        int sign = 1;
        for (int i = 0; i < n; i++) {
            sum += sign * a[i];
            sign = -sign;
        }
        out[0] = sum;
    }
}
