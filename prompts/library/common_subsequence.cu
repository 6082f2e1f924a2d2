__global__ void common_subsequence(const int* a, int n, const int* b, int m, int* out) {
    __shared__ int best[64];
    if (threadIdx.x == 0) {
        for (int j = 0; j <= m; j++) best[j] = 0;
        for (int i = 0; i < n; i++) {
            int corner = 0;
            for (int j = 1; j <= m; j++) {
                int above = best[j];
                if (a[i] == b[j - 1]) best[j] = corner + 1;
                else best[j] = max(best[j], best[j - 1]);
                corner = above;
            }
        }
        out[0] = best[m];
    }
}
