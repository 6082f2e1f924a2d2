__global__ void sign_changes(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int last = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] == 0) continue;
            int sign = a[i] > 0 ? 1 : -1;
            if (last != 0 && sign != last) out[0]++;
            last = sign;
        }
    }
}
