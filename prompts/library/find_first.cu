__global__ void find_first(const int* a, int n, int x, int* out) {
    if (threadIdx.x == 0) {
        out[0] = -1;
        for (int i = 0; i < n; i++) {
            if (a[i] == x) {
                out[0] = i;
                break;
            }
        }
    }
}
