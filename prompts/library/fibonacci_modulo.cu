__global__ void fibonacci_modulo(int n, int m, int* out) {
    if (threadIdx.x == 0) {
        int x = 0;
        int y = 1;
        for (int i = 0; i < n; i++) {
            out[i] = x % m;
            int next = (x + y) % m;
            x = y;
            y = next;
        }
    }
}
