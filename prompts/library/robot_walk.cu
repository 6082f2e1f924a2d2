__global__ void robot_walk(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int x = 0, y = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] == 0) y++;
            if (a[i] == 1) x++;
            if (a[i] == 2) y--;
            if (a[i] == 3) x--;
        }
        out[0] = x;
        out[1] = y;
    }
}
