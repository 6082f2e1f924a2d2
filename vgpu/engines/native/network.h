// A network as the native code takes it, for LANES words side by side. The structures are filled by
// `vgpu.engines.native.layout`; those of ctypes mirror them.

// No header of a C library is needed, nor a library.
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;

#define INLINE static inline __attribute__((always_inline))

#if LANES == 1
typedef float vec;
typedef uint32_t mask;
INLINE mask above(vec v, float limit) { return v > limit; }
INLINE vec spread(mask m) { return m ? 1.0f : 0.0f; }
#elif LANES <= 32
typedef float vec __attribute__((ext_vector_type(LANES)));
typedef _Bool flags __attribute__((ext_vector_type(LANES)));
#if LANES == 8
typedef uint8_t mask;
#elif LANES == 16
typedef uint16_t mask;
#else
typedef uint32_t mask;
#endif
INLINE mask above(vec v, float limit) {
    return __builtin_bit_cast(mask, __builtin_convertvector(v > limit, flags));
}
INLINE vec spread(mask m) {
    return __builtin_convertvector(__builtin_bit_cast(flags, m), vec);
}
#endif

// Rows of a sparse matrix. Rows of one shape follow each other: so many channels added, so many
// subtracted, so many with a weight of their own. A row's sum times `scale` is its dot product.
typedef struct {
    int32_t shapes, rows;
    float scale;
    const int32_t *shape;  // [shapes][4]: rows, added, subtracted, weighted
    const uint16_t *column;
    const float *value;  // of the weighted ones
    const float *bias;   // [rows]: what the carrier adds
} Rows;

typedef struct {
    Rows form;                  // what gates have in common but for a constant, each once
    const int32_t *gates;       // [forms + 1] the gates of a form, the largest constant first
    const float *constant;      // [gates]
    const int32_t *alone;       // [gates + 1] entries that an open gate adds by itself
    const uint16_t *alone_at;   // channel
    const float *alone_weight;
    const int32_t *neuron;      // [gates + 1] the neurons behind a gate that read the stream again
    const int32_t *up;          // [neurons + 1]
    const uint16_t *up_column;
    const float *up_value;
    const float *up_bias;       // [neurons]
    const int32_t *down;        // [neurons + 1]
    const uint16_t *down_at;
    const float *down_weight;
} Mlp;

// The rows that a query or a key can light. Those of an address decoder are all pairs of a few
// parts: each is the sum of two and a constant.
typedef struct {
    Rows part;
    int32_t rows;
    const uint16_t *first, *second;  // [rows] which parts
    const float *bias;               // [rows]
    const uint16_t *place;  // [rows] the number of each in the memory
    const float *fixed;     // [key_width] a query that is the same on every word, or null
} Address;

typedef struct {
    int32_t heads, group, addresses, packs, key_width, value_width, targets, width;
    float scale;              // 1 / sqrt(key_width)
    const Address *address;
    const int32_t *query;     // [heads] which address
    const int32_t *key;
    Rows gate, beta, value;
    const int32_t *pack;      // [packs + 1] what a bank stores: value row, component
    const uint16_t *pack_row, *part;
    const int32_t *pack_of;   // [banks], -1: nothing to store
    const int32_t *beta_of;
    const int32_t *gates;     // [banks + 1] the gates that a bank is read through
    const uint16_t *gate_of;
    const int32_t *read;      // [gates + 1] what is read through each: component, channel, weight
    const uint16_t *read_part, *read_at;
    const float *read_weight;
    const uint16_t *target;   // channels that are written
    float *state;             // [banks][key_width][width]
    float *total;             // [banks][width] what a fixed query reads
    uint8_t *touched;         // [addresses][key_width] rows a query can find other than 0
    float *packed;            // [packs][LANES][width] scratch
} Mixer;

typedef struct {
    int32_t bits, channels, layers, whole;  // whole: all weights are integers, in their units
    const uint16_t *embed;     // channel of every bit
    const int32_t *fresh;      // [layers + 2] channels that a layer, or the head, is the first to use
    const uint16_t *fresh_at;
    const Mlp *mlp;
    const Mixer *const *mixer;  // null where a layer has none
    Rows head;
    const uint16_t *head_bit;  // [head rows] which bit
    // Scratch: streams of `channels`, and room for the most rows of any matrix.
    vec *stream, *lit, *product, *gates, *values;
    mask *lit_lanes, *gate_lanes;
    uint16_t *lit_row, *index;   // index [addresses][key_width][LANES]: the rows each lane lights
    int32_t *neuron, *count;     // count [addresses][LANES]
    vec *weight;                 // [addresses][key_width]
    float *here, *most;          // here [width]; most [rows]
    mask *packed_lanes;
    uint64_t *ticks;             // [2 + 4 layers] clock ticks of each part, when they are counted
} Network;

INLINE mask first_lanes(int count) {
    return (mask)(count == 32 ? ~0u : (1u << count) - 1);
}

// `python -m vgpu.profile` compiles with COUNT_TICKS: time since the last mark goes to that part.
#ifdef COUNT_TICKS
static uint64_t last_mark;
#define MARK() (last_mark = __builtin_readcyclecounter())
#define TICK(n, part)                                      \
    do {                                                   \
        uint64_t now = __builtin_readcyclecounter();       \
        (n)->ticks[part] += now - last_mark;               \
        last_mark = now;                                   \
    } while (0)
#else
#define MARK()
#define TICK(n, part) (void)(part)
#endif
