__global__ void points_in_circle(const int* a, const int* b, int n, int k, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] * a[i] + b[i] * b[i] <= k * k) {
            atomicAdd(out, 1);
        }
    }
}
