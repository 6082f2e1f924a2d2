__global__ void sort_down(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) out[i] = a[i];
        for (int i = 0; i < n; i++) {
            int best = i;
            for (int j = i + 1; j < n; j++) {
                if (out[j] > out[best]) best = j;
            }
            int t = out[i];
            out[i] = out[best];
            out[best] = t;
        }
    }
}
