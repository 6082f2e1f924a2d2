__global__ void lowest_balance(const int* a, int n, int x, int* out) {
    if (threadIdx.x == 0) {
        int balance = x;
        int lowest = x;
        for (int i = 0; i < n; i++) {
            balance += a[i];
            lowest = min(lowest, balance);
        }
        out[0] = lowest;
    }
}
