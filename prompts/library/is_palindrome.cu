__global__ void is_palindrome(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int ok = 1;
        for (int i = 0; i < n / 2; i++) {
            if (a[i] != a[n - 1 - i]) {
                ok = 0;
            }
        }
        out[0] = ok;
    }
}
