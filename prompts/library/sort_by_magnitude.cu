__global__ void sort_by_magnitude(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            int x = a[i];
            int j = i;
            while (j > 0 && abs(out[j - 1]) > abs(x)) {
                out[j] = out[j - 1];
                j--;
            }
            out[j] = x;
        }
    }
}
