// What every prebuilt kernel stores in *status. *out means nothing unless it is OK.
// The launch zeroes *out and *status, so a kernel that succeeds may leave OK unsaid.
#pragma once

#define OK 0
#define OVERFLOWS 1  // the result does not fit signed 32 bits
#define UNDEFINED 2  // there is no result: division by zero, the mean of nothing

// The magnitude of a signed number; 2**31 for the lowest.
__device__ __forceinline__ unsigned magnitude(int a) { return a < 0 ? 0u - (unsigned)a : (unsigned)a; }

// Stores the number that has this sign and magnitude, or says that it does not fit.
__device__ __forceinline__ void store_signed(bool negative, unsigned value, int *out, int *status) {
  *out = (int)(negative ? 0u - value : value);
  if (value > 0x7fffffffu + (negative ? 1u : 0u)) *status = OVERFLOWS;
}
