__global__ void election_winner(const int* a, int n, int k, int* out) {
    if (threadIdx.x == 0) {
        int most = -1;
        for (int c = 0; c < k; c++) {
            int votes = 0;
            for (int i = 0; i < n; i++) {
                if (a[i] == c) votes++;
            }
            if (votes > most) {
                most = votes;
                out[0] = c;
            }
        }
    }
}
