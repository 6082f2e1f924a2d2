__global__ void count_coprime(const int* a, int n, int k, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int x = a[i];
        int y = k;
        while (y != 0) {
            int r = x % y;
            x = y;
            y = r;
        }
        if (x == 1) atomicAdd(out, 1);
    }
}
