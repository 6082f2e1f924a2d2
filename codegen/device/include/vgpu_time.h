// Sums of times: hours, minutes and seconds, each any number, in 64 bits; and the clock of 24 hours.
#pragma once

#include "vgpu_wide.h"

// 3600 h + 60 m + s, or true when that does not fit.
__device__ __forceinline__ bool seconds_of(int64_t h, int64_t m, int64_t s, int64_t &seconds) {
  int64_t minutes;
  return times(h, (int64_t)60, minutes) | plus(minutes, m, minutes) |
         times(minutes, (int64_t)60, seconds) | plus(seconds, s, seconds);
}

// Hours, minutes and seconds of a number of seconds, each with its sign.
__device__ __forceinline__ void store_time(int64_t seconds, int64_t *out) {
  uint64_t rest, second, hours;
  uint64_t minutes = quotient(magnitude(seconds), (uint64_t)60, second);
  hours = quotient(minutes, (uint64_t)60, rest);
  bool negative = seconds < 0;
  out[0] = (int64_t)(negative ? 0 - hours : hours);
  out[1] = (int64_t)(negative ? 0 - rest : rest);
  out[2] = (int64_t)(negative ? 0 - second : second);
}

// The time of day n minutes after h:m:s, or before it; UNDEFINED when h:m:s is none.
__device__ __forceinline__ void turn_clock(int64_t h, int64_t m, int64_t s, int64_t n, bool back,
                                           int64_t *out, int *status) {
  const uint32_t day = 1440;  // minutes
  if ((uint64_t)h > 23 || (uint64_t)m > 59 || (uint64_t)s > 59) {
    *status = UNDEFINED;
    return;
  }
  uint64_t rest;
  quotient(magnitude(n), (uint64_t)day, rest);
  uint32_t by = low_word(rest);
  if ((n < 0) != back) by = day - by;
  uint32_t minute = (low_word((uint64_t)h) * 60 + low_word((uint64_t)m) + by) % day;
  out[0] = minute / 60;
  out[1] = minute % 60;
  out[2] = s;
}
