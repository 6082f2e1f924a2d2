__global__ void count_squares(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int root = 0;
        while ((root + 1) * (root + 1) <= a[i]) {
            root++;
        }
        if (a[i] >= 0 && root * root == a[i]) {
            atomicAdd(out, 1);
        }
    }
}
