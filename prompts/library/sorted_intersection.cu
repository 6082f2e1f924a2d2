__global__ void sorted_intersection(const int* a, int n, const int* b, int m, int* out) {
    if (threadIdx.x == 0) {
        int i = 0, j = 0;
        while (i < n && j < m) {
            if (a[i] < b[j]) i++;
            else if (a[i] > b[j]) j++;
            else {
                out[0]++;
                out[out[0]] = a[i];
                i++;
                j++;
            }
        }
    }
}
