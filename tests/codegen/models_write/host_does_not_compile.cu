// run: --in a=7 --out b=1
// expect: b = 49
// note: main
#include <thrust/host_vector.h>
#include <boost/program_options.hpp>
#include <iostream>

__global__ void square(const int *a, int *b) { *b = *a * *a; }

static void report(const boost::any &what) { std::cout << what << "\n"; }

int main(int argc, char **argv) {
  thrust::host_vector<int> v(1);
  auto options = parse(argc, argv);
  square<<<options.grid, options.block>>>(v.data(), nullptr);
  report(v);
}
