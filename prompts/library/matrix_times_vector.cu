__global__ void matrix_times_vector(const int* a, const int* b, int rows, int cols, int* out) {
    for (int r = threadIdx.x; r < rows; r += 32) {
        int sum = 0;
        for (int c = 0; c < cols; c++) {
            sum += a[r * cols + c] * b[c];
        }
        out[r] = sum;
    }
}
