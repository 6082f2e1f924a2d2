__global__ void rank_sort(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int place = 0;
        for (int j = 0; j < n; j++) {
            if (a[j] < a[i] || (a[j] == a[i] && j < i)) {
                place++;
            }
        }
        out[place] = a[i];
    }
}
