__global__ void pascal_row(int n, int* out) {
    if (threadIdx.x == 0) {
        out[0] = 1;
        for (int row = 1; row <= n; row++) {
            for (int i = row; i > 0; i--) {
                out[i] += out[i - 1];
            }
        }
    }
}
