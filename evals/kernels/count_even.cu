// gives out[0]; order free
__global__ void count_even(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] % 2 == 0) atomicAdd(&out[0], 1);
    }
}
