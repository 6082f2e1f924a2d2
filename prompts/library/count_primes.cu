__global__ void count_primes(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int prime = a[i] >= 2;
        for (int d = 2; d * d <= a[i]; d++) {
            if (a[i] % d == 0) {
                prime = 0;
            }
        }
        if (prime) atomicAdd(out, 1);
    }
}
