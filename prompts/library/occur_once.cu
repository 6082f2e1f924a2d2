__global__ void occur_once(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            int count = 0;
            for (int j = 0; j < n; j++) {
                if (a[j] == a[i]) count++;
            }
            if (count == 1) {
                out[0]++;
                out[out[0]] = a[i];
            }
        }
    }
}
