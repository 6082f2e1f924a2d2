__global__ void days_to_reach(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int sum = 0;
        out[0] = -1;
        for (int i = 0; i < n; i++) {
            sum += a[i];
            if (sum >= k) {
                out[0] = i + 1;
                break;
            }
        }
    }
}
