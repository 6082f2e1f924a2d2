// error: kernels_of_two_namespaces.cu: several kernels here (a::k, b::k): choose one with
namespace a {
__global__ void k(int *o) { o[0] = 1; }
}
namespace b {
__global__ void k(int *o) { o[0] = 2; }
}
