__global__ void league_points(const int* a, int n, const int* b, int* out) {
    if (threadIdx.x == 0) {
        int points = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] > b[i]) {
                points += 3;
            } else if (a[i] == b[i]) {
                points += 1;
            }
        }
        out[0] = points;
    }
}
