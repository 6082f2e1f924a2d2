__global__ void leap_flags(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int y = a[i];
        if ((y % 4 == 0 && y % 100 != 0) || y % 400 == 0) {
            out[i] = 1;
        }
    }
}
