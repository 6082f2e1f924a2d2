__global__ void bounding_box(const int* a, const int* b, int n, int* out) {
    if (threadIdx.x == 0) {
        out[0] = out[2] = a[0];
        out[1] = out[3] = b[0];
        for (int i = 1; i < n; i++) {
            out[0] = min(out[0], a[i]);
            out[1] = min(out[1], b[i]);
            out[2] = max(out[2], a[i]);
            out[3] = max(out[3], b[i]);
        }
    }
}
