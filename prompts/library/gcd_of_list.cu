__global__ void gcd_of_list(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int g = 0;
        for (int i = 0; i < n; i++) {
            int x = abs(a[i]);
            while (x != 0) {
                int r = g % x;
                g = x;
                x = r;
            }
        }
        out[0] = g;
    }
}
