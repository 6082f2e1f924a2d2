__global__ void steps_to_zero(int x, int* out) {
    if (threadIdx.x == 0) {
        int steps = 0;
        while (x > 0) {
            if (x % 2 == 0) {
                x = x / 2;
            } else {
                x = x - 1;
            }
            steps++;
        }
        out[0] = steps;
    }
}
