__global__ void column_maxima(const int* a, int rows, int cols, int* out) {
    for (int c = threadIdx.x; c < cols; c += 32) {
        int best = a[c];
        for (int r = 1; r < rows; r++) {
            best = max(best, a[r * cols + c]);
        }
        out[c] = best;
    }
}
