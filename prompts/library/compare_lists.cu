__global__ void compare_lists(const int* a, int n, const int* b, int m, int* out) {
    if (threadIdx.x == 0) {
        int i = 0;
        while (i < n && i < m && a[i] == b[i]) {
            i++;
        }
        if (i < n && i < m) {
            out[0] = a[i] < b[i] ? -1 : 1;
        } else if (n != m) {
            out[0] = n < m ? -1 : 1;
        }
    }
}
