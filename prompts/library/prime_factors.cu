__global__ void prime_factors(int x, int* out) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int d = 2; d * d <= x; d++) {
            while (x % d == 0) {
                count++;
                out[count] = d;
                x /= d;
            }
        }
        if (x > 1) {
            count++;
            out[count] = x;
        }
        out[0] = count;
    }
}
