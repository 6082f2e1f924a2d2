__global__ void win_draw_loss(const int* a, int n, const int* b, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] > b[i]) {
            atomicAdd(&out[0], 1);
        } else if (a[i] == b[i]) {
            atomicAdd(&out[1], 1);
        } else {
            atomicAdd(&out[2], 1);
        }
    }
}
