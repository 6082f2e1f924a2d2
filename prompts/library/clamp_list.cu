__global__ void clamp_list(const int* a, int n, int lo, int hi, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        out[i] = min(max(a[i], lo), hi);
    }
}
