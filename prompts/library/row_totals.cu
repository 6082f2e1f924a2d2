__global__ void row_totals(const int* a, int rows, int cols, int* out) {
    for (int r = threadIdx.x; r < rows; r += 32) {
        int sum = 0;
        for (int c = 0; c < cols; c++) {
            sum += a[r * cols + c];
        }
        out[r] = sum;
    }
}
