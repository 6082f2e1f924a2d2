__global__ void set_positions(int x, int* out) {
    if (threadIdx.x == 0) {
        for (int bit = 0; bit < 31; bit++) {
            if ((x >> bit) & 1) {
                out[0]++;
                out[out[0]] = bit;
            }
        }
    }
}
