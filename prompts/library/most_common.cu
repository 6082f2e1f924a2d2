__global__ void most_common(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int best = 0;
        for (int i = 0; i < n; i++) {
            int count = 0;
            for (int j = 0; j < n; j++) {
                if (a[j] == a[i]) count++;
            }
            if (count > best || (count == best && a[i] < out[0])) {
                best = count;
                out[0] = a[i];
            }
        }
    }
}
