__global__ void weekdays(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int day = a[i] % 7;
        if (day < 0) {
            day += 7;
        }
        out[i] = day;
    }
}
