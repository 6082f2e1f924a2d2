__global__ void day_of_year(int d, int m, int leap, int* out) {
    if (threadIdx.x == 0) {
        int day = d;
        for (int month = 1; month < m; month++) {
            if (month == 2) day += 28 + leap;
            else if (month == 4 || month == 6 || month == 9 || month == 11) day += 30;
            else day += 31;
        }
        out[0] = day;
    }
}
