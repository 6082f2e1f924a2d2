__global__ void start_offsets(const int* a, int n, int* out) {
    int carry = 0;
    for (int base = 0; base < n; base += 32) {
        int i = base + threadIdx.x;
        int own = i < n ? a[i] : 0;
        int sum = own;
        for (int step = 1; step < 32; step *= 2) {
            int other = __shfl_up_sync(0xffffffff, sum, step);
            if (threadIdx.x >= step) sum += other;
        }
        if (i < n) out[i] = carry + sum - own;
        carry += __shfl_sync(0xffffffff, sum, 31);
    }
}
