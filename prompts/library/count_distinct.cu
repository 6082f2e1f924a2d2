__global__ void count_distinct(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int first = 1;
        for (int j = 0; j < i; j++) {
            if (a[j] == a[i]) first = 0;
        }
        if (first) atomicAdd(out, 1);
    }
}
