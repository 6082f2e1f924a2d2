__global__ void check_brackets(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int depth = 0, deepest = 0, ok = 1;
        for (int i = 0; i < n; i++) {
            depth += a[i];
            if (depth < 0) ok = 0;
            deepest = max(deepest, depth);
        }
        out[0] = ok && depth == 0;
        out[1] = deepest;
    }
}
