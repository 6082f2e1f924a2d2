__global__ void grades(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        int grade = 1;
        if (a[i] >= 50) grade = 2;
        if (a[i] >= 60) grade = 3;
        if (a[i] >= 75) grade = 4;
        if (a[i] >= 90) grade = 5;
        out[i] = grade;
    }
}
