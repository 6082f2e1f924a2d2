__global__ void pass_percent(const int* a, int n, int k, int* out) {
    int passed = 0;
    for (int base = 0; base < n; base += 32) {
        int i = base + threadIdx.x;
        int ok = i < n && a[i] >= k;
        passed += __popc(__ballot_sync(0xffffffff, ok));
    }
    if (threadIdx.x == 0) {
        out[0] = passed * 100 / n;
    }
}
