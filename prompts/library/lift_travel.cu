__global__ void lift_travel(const int* a, int n, int x, int* out) {
    if (threadIdx.x == 0) {
        int way = 0;
        int floor = x;
        for (int i = 0; i < n; i++) {
            way += abs(a[i] - floor);
            floor = a[i];
        }
        out[0] = way;
    }
}
