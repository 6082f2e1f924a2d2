__global__ void recurrence(int x, int k, int c, int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            out[i] = x;
            x = k * x + c;
        }
    }
}
