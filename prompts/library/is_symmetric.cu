__global__ void is_symmetric(const int* a, int n, int* out) {
    int ok = 1;
    for (int i = threadIdx.x; i < n * n; i += 32) {
        if (a[i] != a[(i % n) * n + i / n]) {
            ok = 0;
        }
    }
    ok = __all_sync(0xffffffff, ok);
    if (threadIdx.x == 0) out[0] = ok;
}
