__global__ void first_repeat(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        out[0] = -1;
        for (int i = 0; i < n && out[0] == -1; i++) {
            for (int j = 0; j < i; j++) {
                if (a[j] == a[i]) {
                    out[0] = a[i];
                    break;
                }
            }
        }
    }
}
