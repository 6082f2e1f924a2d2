// What every prebuilt kernel stores in *status. *out means nothing unless it is OK.
// The launch zeroes *out and *status, so a kernel that succeeds may leave OK unsaid.
#pragma once

#define OK 0
#define OVERFLOWS 1  // the result does not fit signed 64 bits
#define UNDEFINED 2  // there is no result: division by zero, the mean of nothing
#define BEYOND 3     // an argument is beyond what the kernel takes

__device__ __forceinline__ uint32_t low_word(uint64_t a) { return (uint32_t)a; }
__device__ __forceinline__ uint32_t high_word(uint64_t a) { return (uint32_t)(a >> 32); }
__device__ __forceinline__ uint64_t pair(uint32_t low, uint32_t high) {
  return (uint64_t)high << 32 | low;
}

// Does a fit 32 bits? Most numbers do, and take the machine a fraction of the instructions.
__device__ __forceinline__ bool is_short(int64_t a) { return (int)(a >> 32) == (int)a >> 31; }
__device__ __forceinline__ bool is_short(uint64_t a) { return high_word(a) == 0; }

// The magnitude of a signed number; 2**63 for the lowest.
__device__ __forceinline__ uint64_t magnitude(int64_t a) {
  uint64_t sign = (uint64_t)(a >> 63);
  return ((uint64_t)a ^ sign) - sign;
}

// Stores the number that has this sign and magnitude, or says that it does not fit.
__device__ __forceinline__ void store_signed(bool negative, uint64_t value, int64_t *out,
                                             int *status) {
  int64_t result = (int64_t)(negative ? 0 - value : value);
  *out = result;
  if (value != 0 && (result < 0) != negative) *status = OVERFLOWS;
}
