#include "vgpu_status.h"

#define MARCH 3

// Days from a fixed day to a date of the Gregorian calendar; years begin in March here, so that a
// leap day is a year's last. False when there is no such date.
__device__ __forceinline__ bool day_number(int64_t y, int64_t m, int64_t d, int &days) {
  if (y < 1 || y > 9999 || m < 1 || m > 12 || d < 1 || d > 31) return false;
  int year = (int)y, month = (int)m, day = (int)d;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  // 31 in months 1, 3, 5, 7, 8, 10, 12
  int length = month == 2 ? 28 + leap : 30 + ((month ^ month >> 3) & 1);
  if (day > length) return false;
  if (month < MARCH) {
    year--;
    month += 12;
  }
  // (153 m - 457) / 5 is 0, 31, 61, ...: the days before month m from March on
  days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month - 457) / 5 + day;
  return true;
}

// The days from the first date to the second; negative when that is earlier. A date a thread.
extern "C" __global__ void datediff(int64_t y1, int64_t m1, int64_t d1, int64_t y2, int64_t m2,
                                    int64_t d2, int64_t *out, int *status) {
  __shared__ int first;
  int days = 0;
  bool second = threadIdx.x == 0;
  bool exists = day_number(second ? y2 : y1, second ? m2 : m1, second ? d2 : d1, days);
  if (!exists) *status = UNDEFINED;
  if (threadIdx.x == 1) first = days;
  __syncthreads();
  if (threadIdx.x == 0) *out = days - first;
}
