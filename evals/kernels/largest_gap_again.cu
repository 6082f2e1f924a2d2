// gives out[0]; order free
__global__ void largest_gap(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int last = 1;
        int next = 2147483647;
        for (int j = 0; j < n; j++) {
            if (a[j] > a[i]) {
                last = 0;
                next = min(next, a[j]);
            }
        }
        if (!last) atomicMax(&out[0], next - a[i]);
    }
}
