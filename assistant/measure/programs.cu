// The programs that `assistant bench` times.

// The dot product of two lists of n numbers; as many threads as a power of two says.
extern "C" __global__ void dot(const int *a, const int *b, int n, int *out) {
  __shared__ int part[32];
  int t = threadIdx.x, sum = 0;
  for (int i = t; i < n; i += blockDim.x) sum += a[i] * b[i];
  part[t] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) *out = part[0];
}

// The product of two square matrices; a thread makes one element.
extern "C" __global__ void matmul(const int *a, const int *b, int n, int *out) {
  int row = threadIdx.y, column = threadIdx.x, sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  out[row * n + column] = sum;
}

// A polynomial by Horner's rule, the highest coefficient first.
extern "C" __global__ void horner(const int *coefficients, int degree, int x, int *out) {
  int value = coefficients[0];
  for (int i = 1; i <= degree; i++) value = value * x + coefficients[i];
  *out = value;
}

// Steps from n down to 1.
extern "C" __global__ void collatz(int n, int *out) {
  int steps = 0;
  for (; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
  *out = steps;
}

// How many primes there are up to n, at most 127; a thread for every four numbers.
extern "C" __global__ void sieve(int n, int *out) {
  __shared__ int struck[128], primes[32];
  int t = threadIdx.x, count = 0;
  for (int i = t; i < 128; i += 32) struck[i] = i < 2 || i > n;
  for (int p = 2; p * p <= n; p++) {
    __syncthreads();
    if (struck[p]) continue;
    for (int i = p * p + p * t; i <= n; i += 32 * p) struck[i] = 1;
  }
  __syncthreads();
  for (int i = t; i < 128; i += 32) count += !struck[i];
  primes[t] = count;
  for (int half = 16; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) primes[t] += primes[t + half];
  }
  if (t == 0) *out = primes[0];
}
