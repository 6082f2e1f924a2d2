// error: template_without_instance.cu: fill is a template: choose an instance, --kernel 'fill<int>'
template <typename T>
__global__ void fill(T *to, T value) {
  to[threadIdx.x] = value;
}
