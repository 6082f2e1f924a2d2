// Launches: read from stdin, run, arrays written to stdout.
//
//   in    KERNEL  grid x y z  block x y z  ARGUMENTS, then for each:  s|a  BYTES  hex
//   out   one line of hex for each array ("a"); "-" stands for no bytes
#pragma once

struct OracleEntry {
  const char *name;
  void (*run)(unsigned char **arguments);
};

// Calls a kernel whose parameters lie in memory, one after another.
template <class... Left> struct OracleCall;
template <> struct OracleCall<> {
  template <class F, class... Done> static void go(F kernel, unsigned char **, Done... done) {
    kernel(done...);
  }
};
template <class First, class... Rest> struct OracleCall<First, Rest...> {
  template <class F, class... Done>
  static void go(F kernel, unsigned char **arguments, Done... done) {
    First value;
    memcpy((void *)&value, *arguments, sizeof value);
    OracleCall<Rest...>::go(kernel, arguments + 1, done..., value);
  }
};
template <class... P> void oracle_call(void (*kernel)(P...), unsigned char **arguments) {
  OracleCall<P...>::go(kernel, arguments);
}
#define ORACLE_KERNEL(NAME) \
  { #NAME, [](unsigned char **arguments) { oracle_call(&NAME, arguments); } }

struct OracleThread {
  pthread_t handle;
  unsigned number;
  const OracleEntry *entry;
  unsigned char **arguments;
};

static inline void *oracle_start(void *given) {
  OracleThread *self = (OracleThread *)given;
  unsigned t = self->number, x = blockDim.x, y = blockDim.y;
  threadIdx = {t % x, t / x % y, t / (x * y)};
  oracle_thread = t;
  oracle_lane = t % 32;
  oracle_warp = &oracle_warps[t / 32];
  self->entry->run(self->arguments);
  oracle_warp->leave(oracle_lane);
  oracle_block.leave(t);
  return 0;
}

// One block: all threads are expected at the barriers before the first of them starts.
static inline void oracle_run_block(const OracleEntry *entry, unsigned char **arguments) {
  static OracleThread threads[256];
  unsigned count = blockDim.x * blockDim.y * blockDim.z;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 512 << 10);
  oracle_block.reset();
  for (OracleMeeting &warp : oracle_warps) warp.reset();
  for (unsigned t = 0; t < count; t++) {
    oracle_block.enter(t);
    oracle_warps[t / 32].enter(t % 32);
  }
  for (unsigned t = 0; t < count; t++) {
    threads[t] = {pthread_t(), t, entry, arguments};
    if (pthread_create(&threads[t].handle, &small, oracle_start, &threads[t])) __builtin_trap();
  }
  for (unsigned t = 0; t < count; t++) pthread_join(threads[t].handle, 0);
}

// `size` bytes of hex; "-" when there are none.
static inline unsigned char *oracle_read(unsigned size) {
  unsigned char *bytes = (unsigned char *)__builtin_calloc(1, size + 64);
  bytes += 16 - (uintptr_t)bytes % 16;
  if (scanf(" -")) {}
  for (unsigned i = 0, value; i < size; i++) {
    if (scanf("%2x", &value) != 1) __builtin_trap();
    bytes[i] = (unsigned char)value;
  }
  return bytes;
}

static inline int oracle_main(const OracleEntry *entries, int kernels) {
  static unsigned char *arguments[64], *arrays[64];
  static unsigned sizes[64];
  char name[256], kind;
  int count;
  uint3 grid, block;
  if (scanf("%255s %u %u %u %u %u %u %d", name, &grid.x, &grid.y, &grid.z, &block.x, &block.y,
            &block.z, &count) != 8 || count > 64)
    return 2;
  gridDim = dim3(grid.x, grid.y, grid.z);
  blockDim = dim3(block.x, block.y, block.z);
  if (block.x * block.y * block.z > 256) return 3;
  const OracleEntry *entry = 0;
  for (int i = 0; i < kernels; i++)
    if (!strcmp(entries[i].name, name)) entry = &entries[i];
  if (!entry) return 4;
  for (int i = 0; i < count; i++) {
    if (scanf(" %c %u", &kind, &sizes[i]) != 2) return 5;
    arrays[i] = oracle_read(sizes[i]);
    arguments[i] = kind == 'a' ? (unsigned char *)&arrays[i] : arrays[i];
    if (kind != 'a') arrays[i] = 0;
  }
  for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
    for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
      for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++) oracle_run_block(entry, arguments);
  for (int i = 0; i < count; i++) {
    if (!arrays[i]) continue;
    for (unsigned k = 0; k < sizes[i]; k++) printf("%02x", arrays[i][k]);
    puts(sizes[i] ? "" : "-");
  }
  return 0;
}
