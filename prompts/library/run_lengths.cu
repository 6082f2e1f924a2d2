__global__ void run_lengths(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int runs = 0;
        for (int i = 0; i < n; i++) {
            if (i == 0 || a[i] != a[i - 1]) {
                runs++;
                out[2 * runs - 1] = a[i];
            }
            out[2 * runs]++;
        }
        out[0] = runs;
    }
}
