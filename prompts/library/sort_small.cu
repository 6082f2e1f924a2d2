__global__ void sort_small(const int* a, int n, int* out) {
    __shared__ int count[10];
    if (threadIdx.x == 0) {
        for (int v = 0; v < 10; v++) count[v] = 0;
        for (int i = 0; i < n; i++) count[a[i]]++;
        int at = 0;
        for (int v = 0; v < 10; v++) {
            for (int c = 0; c < count[v]; c++) {
                out[at] = v;
                at++;
            }
        }
    }
}
