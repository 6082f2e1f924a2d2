// error: print_with_cout.cu:4:8: error: reference to __host__ variable 'cout' in __global__ function: mark it
#include <iostream>
__global__ void k(const int *a) {
  std::cout << a[0];
}
