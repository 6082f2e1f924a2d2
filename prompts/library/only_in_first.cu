__global__ void only_in_first(const int* a, int n, const int* b, int m, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            int found = 0;
            for (int j = 0; j < m; j++) {
                if (b[j] == a[i]) found = 1;
            }
            if (!found) {
                out[0]++;
                out[out[0]] = a[i];
            }
        }
    }
}
