__global__ void cheapest_path(const int* a, int rows, int cols, int* out) {
    __shared__ int cost[32];
    if (threadIdx.x == 0) {
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++) {
                int before = 0;
                if (r > 0 && c > 0) before = min(cost[c], cost[c - 1]);
                else if (r > 0) before = cost[c];
                else if (c > 0) before = cost[c - 1];
                cost[c] = before + a[r * cols + c];
            }
        }
        out[0] = cost[cols - 1];
    }
}
