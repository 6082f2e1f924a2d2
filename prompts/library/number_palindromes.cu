__global__ void number_palindromes(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int reversed = 0;
        for (int rest = a[i]; rest > 0; rest /= 10) {
            reversed = reversed * 10 + rest % 10;
        }
        out[i] = reversed == a[i];
    }
}
