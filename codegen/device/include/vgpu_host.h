// Enough of the CUDA runtime and of C that a file with a `main()` and launches is accepted.
// Only the device part is compiled; none of these functions exists or is ever called.
#ifndef VGPU_HOST_H
#define VGPU_HOST_H

typedef enum { cudaSuccess = 0, cudaErrorUnknown = 999 } cudaError_t;
typedef enum {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
} cudaMemcpyKind;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int major, minor, warpSize, maxThreadsPerBlock, multiProcessorCount, clockRate;
  int maxThreadsDim[3], maxGridSize[3];
};

extern "C" {
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);

__device__ __host__ int printf(const char *, ...);
int puts(const char *);
int putchar(int);
int scanf(const char *, ...);
int atoi(const char *);
int rand();
void srand(unsigned int);
void exit(int);
long time(long *);
__device__ __host__ void *malloc(size_t);
void *calloc(size_t, size_t);
__device__ __host__ void free(void *);
int strcmp(const char *, const char *);
size_t strlen(const char *);
struct vgpu_file;
int fprintf(vgpu_file *, const char *, ...);
extern vgpu_file *const stdout;
extern vgpu_file *const stderr;
}
__device__ __inline__ void *operator new(size_t n) { return malloc(n); }
__device__ __inline__ void *operator new[](size_t n) { return malloc(n); }
__device__ __inline__ void operator delete(void *p) noexcept { free(p); }
__device__ __inline__ void operator delete[](void *p) noexcept { free(p); }
__device__ __host__ __inline__ void *memcpy(void *to, const void *from, size_t n) {
  return __builtin_memcpy(to, from, n);
}
__device__ __host__ __inline__ void *memset(void *to, int value, size_t n) {
  return __builtin_memset(to, value, n);
}

__device__ __host__ __inline__ void *memmove(void *to, const void *from, size_t n) {
  return __builtin_memmove(to, from, n);
}
__device__ __host__ __inline__ int memcmp(const void *one, const void *other, size_t n) {
  const unsigned char *a = (const unsigned char *)one, *b = (const unsigned char *)other;
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

template <class T> cudaError_t cudaMalloc(T **, size_t);
template <class T> cudaError_t cudaMallocHost(T **, size_t);
template <class T> cudaError_t cudaMallocManaged(T **, size_t, unsigned int = 1);
template <class T> cudaError_t cudaMemcpyToSymbol(T &, const void *, size_t, size_t = 0);
template <class T> cudaError_t cudaMemcpyFromSymbol(void *, T &, size_t, size_t = 0);

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

#endif
