__global__ void best_profit(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int cheapest = a[0];
        for (int i = 1; i < n; i++) {
            out[0] = max(out[0], a[i] - cheapest);
            cheapest = min(cheapest, a[i]);
        }
    }
}
