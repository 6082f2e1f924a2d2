__global__ void top_three(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int first = -2147483647, second = first, third = first;
        for (int i = 0; i < n; i++) {
            int x = a[i];
            if (x > first) { third = second; second = first; first = x; }
            else if (x > second) { third = second; second = x; }
            else if (x > third) { third = x; }
        }
        out[0] = first;
        out[1] = second;
        out[2] = third;
    }
}
