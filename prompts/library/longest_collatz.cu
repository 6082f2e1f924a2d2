__global__ void longest_collatz(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int most = -1;
        for (int i = 0; i < n; i++) {
            int x = a[i];
            int steps = 0;
            while (x != 1) {
                x = x % 2 == 0 ? x / 2 : 3 * x + 1;
                steps++;
            }
            if (steps > most) {
                most = steps;
                out[0] = a[i];
            }
        }
    }
}
