__global__ void split_digits(int x, int* out) {
    if (threadIdx.x == 0) {
        int count = 1;
        for (int rest = x; rest >= 10; rest /= 10) {
            count++;
        }
        out[0] = count;
        for (int i = count; i > 0; i--) {
            out[i] = x % 10;
            x /= 10;
        }
    }
}
