__global__ void last_in_circle(int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int place = 0;
        for (int size = 2; size <= n; size++) {
            place = (place + k) % size;
        }
        out[0] = place;
    }
}
