__global__ void lcm_of_list(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int result = 1;
        for (int i = 0; i < n; i++) {
            int x = result, y = a[i];
            while (y != 0) {
                int r = x % y;
                x = y;
                y = r;
            }
            result = result / x * a[i];
        }
        out[0] = result;
    }
}
