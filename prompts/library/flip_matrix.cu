__global__ void flip_matrix(const int* a, int rows, int cols, int* out) {
    for (int i = threadIdx.x; i < rows * cols; i += 32) {
        int r = i / cols;
        int c = i % cols;
        out[c * rows + r] = a[i];
    }
}
