__global__ void busiest_moment(const int* a, int n, const int* b, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int present = 0;
        for (int j = 0; j < n; j++) {
            if (a[j] <= a[i] && a[i] < b[j]) {
                present++;
            }
        }
        atomicMax(out, present);
    }
}
