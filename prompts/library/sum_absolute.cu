__global__ void sum_absolute(const int* a, int n, int* out) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        sum += abs(a[i]);
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (threadIdx.x == 0) out[0] = sum;
}
