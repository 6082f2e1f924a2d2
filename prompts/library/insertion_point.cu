__global__ void insertion_point(const int* a, int n, int x, int* out) {
    if (threadIdx.x == 0) {
        int low = 0;
        int high = n;
        while (low < high) {
            int middle = (low + high) / 2;
            if (a[middle] < x) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        out[0] = low;
    }
}
