__global__ void stack_machine(const int* a, int n, int* out) {
    __shared__ int stack[64];
    if (threadIdx.x == 0) {
        int top = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] > 0) {
                stack[top] = a[i];
                top++;
            } else {
                int y = stack[top - 1];
                int x = stack[top - 2];
                top--;
                stack[top - 1] = a[i] == 0 ? x + y : x * y;
            }
        }
        out[0] = stack[top - 1];
    }
}
