// A stand-in for the C++ library, so that the host part of a file is accepted. Nothing here is ever
// called: only the device part is compiled. What device code may use of it works: limits, pairs,
// swap, min, max.
#ifndef VGPU_STD_H
#define VGPU_STD_H
#include "vgpu_device.h"

namespace std {
using ::size_t;
using ::ptrdiff_t;
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::printf; using ::malloc; using ::free; using ::memcpy; using ::memset;
using ::memcmp; using ::memmove; using ::exit;


template <class T> constexpr __host__ __device__ T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr __host__ __device__ T max(T a, T b) { return a < b ? b : a; }
template <class T> __host__ __device__ void swap(T &a, T &b) { T c = a; a = b; b = c; }
template <class T> constexpr __host__ __device__ T &&move(T &v) { return (T &&)v; }

template <class T> struct numeric_limits;
#define VGPU_LIMITS(T, LOW, HIGH)                                                             \
  template <> struct numeric_limits<T> {                                                      \
    static constexpr __host__ __device__ T min() { return LOW; }                              \
    static constexpr __host__ __device__ T lowest() { return LOW; }                           \
    static constexpr __host__ __device__ T max() { return HIGH; }                             \
    static constexpr int digits = sizeof(T) * 8 - ((T)-1 < 0);                                \
  };
VGPU_LIMITS(signed char, INT8_MIN, INT8_MAX)
VGPU_LIMITS(unsigned char, 0, UINT8_MAX)
VGPU_LIMITS(short, INT16_MIN, INT16_MAX)
VGPU_LIMITS(unsigned short, 0, UINT16_MAX)
VGPU_LIMITS(int, INT32_MIN, INT32_MAX)
VGPU_LIMITS(unsigned int, 0, UINT32_MAX)
VGPU_LIMITS(long, LONG_MIN, LONG_MAX)
VGPU_LIMITS(unsigned long, 0, ULONG_MAX)
VGPU_LIMITS(long long, INT64_MIN, INT64_MAX)
VGPU_LIMITS(unsigned long long, 0, UINT64_MAX)

template <bool B, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <class T, class U> struct is_same { static constexpr bool value = false; };
template <class T> struct is_same<T, T> { static constexpr bool value = true; };
template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;

template <class T> struct vector {
  vector(); vector(size_t, T = T());
  template <class U> vector(U, U, int = 0);
  template <class... U> vector(T, T, T, U...);
  T &operator[](size_t); const T &operator[](size_t) const;
  T *data(); const T *data() const; T *begin(); T *end(); const T *begin() const;
  const T *end() const; size_t size() const; bool empty() const; T &front(); T &back();
  void push_back(T); void resize(size_t, T = T()); void assign(size_t, T); void clear();
  void reserve(size_t);
};
template <class T, size_t N> struct array {
  T values[N];
  __host__ __device__ constexpr T &operator[](size_t i) { return values[i]; }
  __host__ __device__ constexpr const T &operator[](size_t i) const { return values[i]; }
  __host__ __device__ constexpr size_t size() const { return N; }
  __host__ __device__ constexpr T *data() { return values; }
  __host__ __device__ constexpr T *begin() { return values; }
  __host__ __device__ constexpr T *end() { return values + N; }
};
template <class A, class B> struct pair { A first; B second; };
template <class A, class B> constexpr __host__ __device__ pair<A, B> make_pair(A a, B b) {
  return {a, b};
}
struct string {
  string(); string(const char *); const char *c_str() const; size_t size() const;
  string operator+(const string &) const; string &operator+=(const string &);
};
template <class T> string to_string(T);
struct ostream {
  template <class T> ostream &operator<<(const T &);
  ostream &operator<<(ostream &(*)(ostream &));
};
ostream &endl(ostream &); ostream &flush(ostream &);
extern ostream cout, cerr, clog;
template <class I, class T> void fill(I, I, T);
template <class I, class T> void iota(I, I, T);
template <class I> void sort(I, I);
template <class I, class J> J copy(I, I, J);
template <class I, class T> T accumulate(I, I, T);
}  // namespace std
#endif
