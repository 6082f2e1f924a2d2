__global__ void squared_distance(const int* a, int n, const int* b, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int d = a[i] - b[i];
        atomicAdd(out, d * d);
    }
}
