__global__ void kth_smallest(const int* a, int n, int k, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int before = 0;
        for (int j = 0; j < n; j++) {
            if (a[j] < a[i] || (a[j] == a[i] && j < i)) before++;
        }
        if (before == k - 1) out[0] = a[i];
    }
}
