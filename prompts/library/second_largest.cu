__global__ void second_largest(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int best = a[0];
        for (int i = 1; i < n; i++) {
            if (a[i] > best) best = a[i];
        }
        int second = best;
        for (int i = 0; i < n; i++) {
            if (a[i] < best && (second == best || a[i] > second)) second = a[i];
        }
        out[0] = second;
    }
}
