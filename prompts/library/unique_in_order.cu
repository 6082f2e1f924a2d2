__global__ void unique_in_order(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            int seen = 0;
            for (int j = 1; j <= count; j++) {
                if (out[j] == a[i]) seen = 1;
            }
            if (!seen) {
                count++;
                out[count] = a[i];
            }
        }
        out[0] = count;
    }
}
