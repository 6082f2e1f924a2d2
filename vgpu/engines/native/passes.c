// Whole passes of the sparse engine, LANES words at a time.
//
// The stream is the normed one, fp32 [channel][lane]: the norm is the identity on every channel and
// the carrier reads 1. Compiled once for each number of lanes; the structures mirror those of
// `vgpu.engines.native.structures`, which also says how the weights are laid out.

#include <stdint.h>

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
    Rows gate;                  // every different gate once
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

// The rows that a query or a key can light.
typedef struct {
    Rows rows;
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
    uint16_t *lit_row, *index;   // index [addresses][LANES][key_width]
    int32_t *neuron, *count;     // count [addresses][LANES]
    float *weight, *norm;        // weight as index, norm as count
    float *here;                 // [width]
    mask *packed_lanes;
    uint64_t *ticks;             // [2 + 2 layers] clock ticks of each part, when they are counted
} Network;

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
#define TICK(n, part)
#endif

INLINE mask first_lanes(int count) {
    return (mask)(count == 32 ? ~0u : (1u << count) - 1);
}

// --- sums and activations

typedef struct {
    const uint16_t *column;
    const float *value;
} Cursor;

// Rows are short: unrolling costs more than it brings.
#define SHORT_LOOP _Pragma("clang loop unroll(disable) vectorize(disable)")

INLINE vec row_sum(const vec *x, Cursor *at, float bias, int added, int subtracted, int weighted) {
    vec sum = bias;
    const uint16_t *column = at->column;
    SHORT_LOOP
    for (int i = 0; i < added; i++) sum += x[column[i]];
    column += added;
    SHORT_LOOP
    for (int i = 0; i < subtracted; i++) sum -= x[column[i]];
    column += subtracted;
    SHORT_LOOP
    for (int i = 0; i < weighted; i++) sum += at->value[i] * x[column[i]];
    at->column = column + weighted;
    at->value += weighted;
    return sum;
}

static double exponential(double x) {  // for x in [-104, 104]
    int k = (int)(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
    double r = x - k * 6.93147180369123816490e-01 - k * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int i = 13; i > 0; i--) sum = 1.0 + sum * r / i;
    return sum * __builtin_bit_cast(double, (int64_t)(1023 + k) << 52);
}

static float silu(float x) {
    if (x >= 18.0f) return x;
    if (x == 0.0f || x <= -104.0f) return 0.0f;
    return (float)(x / (1.0 + exponential(-x)));
}

static float sigmoid(float x) {
    if (x >= 30.0f) return 1.0f;
    if (x <= -104.0f) return 0.0f;
    return (float)(1.0 / (1.0 + exponential(-x)));
}

static __attribute__((noinline)) mask silu_lanes(float *x) {
    mask lit = 0;
    for (int lane = 0; lane < LANES; lane++) {
        x[lane] = silu(x[lane]);
        lit |= (mask)((mask)(x[lane] != 0.0f) << lane);
    }
    return lit;
}

// SiLU of sums times scale; in which lanes it is not zero. When channels and weights are integers
// (`exact`) x is 0 or at least 128 away from it, and SiLU is exactly max(x, 0).
INLINE mask activate(vec sum, float scale, int exact, vec *out) {
    vec x = sum * scale;
    *out = x > 0.0f ? x : 0.0f;
    if (__builtin_expect(exact, 1)) return above(x, 0.0f);
    *out = x;
    return silu_lanes((float *)out);
}

// Activated rows, one after the other.
static __attribute__((noinline)) void all_rows(const Rows *m, const vec *x, int exact, vec *out, mask *lanes) {
    Cursor at = {m->column, m->value};
    int row = 0;
    for (int s = 0; s < m->shapes; s++) {
        const int32_t *shape = m->shape + 4 * s;
        for (int end = row + shape[0]; row < end; row++) {
            vec sum = row_sum(x, &at, m->bias[row], shape[1], shape[2], shape[3]);
            lanes[row] = activate(sum, m->scale, exact, &out[row]);
        }
    }
}

// Only the rows that are not zero in every lane, and which they are; how many.
static __attribute__((noinline)) int lit_rows(const Rows *m, const vec *x, int exact, vec *out, mask *lanes, uint16_t *which) {
    Cursor at = {m->column, m->value};
    int row = 0, lit = 0;
    for (int s = 0; s < m->shapes; s++) {
        const int32_t *shape = m->shape + 4 * s;
        for (int end = row + shape[0]; row < end; row++) {
            vec sum = row_sum(x, &at, m->bias[row], shape[1], shape[2], shape[3]);
            lanes[lit] = activate(sum, m->scale, exact, &out[lit]);
            which[lit] = (uint16_t)row;
            lit += lanes[lit] != 0;
        }
    }
    return lit;
}

// --- one SwiGLU layer

static __attribute__((noinline)) void mlp(const Network *n, const Mlp *m, int exact) {
    vec *x = n->stream;
    int lit = lit_rows(&m->gate, x, exact, n->lit, n->lit_lanes, n->lit_row);
    int products = 0;
    for (int k = 0; k < lit; k++) {
        int gate = n->lit_row[k];
        for (int i = m->neuron[gate]; i < m->neuron[gate + 1]; i++) {
            vec up = m->up_bias[i];
            SHORT_LOOP
            for (int e = m->up[i]; e < m->up[i + 1]; e++) up += m->up_value[e] * x[m->up_column[e]];
            n->product[products] = up * n->lit[k];
            n->neuron[products++] = i;
        }
    }
    for (int k = 0; k < lit; k++) {
        int gate = n->lit_row[k];
        SHORT_LOOP
        for (int e = m->alone[gate]; e < m->alone[gate + 1]; e++)
            x[m->alone_at[e]] += m->alone_weight[e] * n->lit[k];
    }
    for (int k = 0; k < products; k++) {
        int i = n->neuron[k];
        SHORT_LOOP
        for (int e = m->down[i]; e < m->down[i + 1]; e++)
            x[m->down_at[e]] += m->down_weight[e] * n->product[k];
    }
}

// --- one gated delta rule layer

// Each lane's lit rows of an address and their l2-normalised weights. A query leaves out the rows
// that no word has ever written: `touched` is null for a key.
static __attribute__((noinline)) void find(const Network *n, const Mixer *m, int number, int exact, int lanes,
                 const uint8_t *touched) {
    const Address *a = m->address + number;
    int lit = lit_rows(&a->rows, n->stream, exact, n->lit, n->lit_lanes, n->lit_row);
    int32_t *count = n->count + number * LANES;
    float *norm = n->norm + number * LANES;
    vec square = 1e-6f;
    for (int lane = 0; lane < LANES; lane++) count[lane] = 0;
    mask live = first_lanes(lanes);
    for (int k = 0; k < lit; k++) {
        int place = a->place[n->lit_row[k]];
        square += n->lit[k] * n->lit[k];
        if (touched && !touched[place]) continue;
        for (mask left = n->lit_lanes[k] & live; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            int64_t at = (int64_t)(number * LANES + lane) * m->key_width + count[lane]++;
            n->index[at] = (uint16_t)place;
            n->weight[at] = ((const float *)&n->lit[k])[lane];
        }
    }
    for (int lane = 0; lane < lanes; lane++) {
        norm[lane] = 1.0f / __builtin_sqrtf(((const float *)&square)[lane]);
        for (int i = 0; i < count[lane]; i++)
            n->weight[(int64_t)(number * LANES + lane) * m->key_width + i] *= norm[lane];
    }
}

// The components that a lane would store in the banks of a pack.
INLINE const float *packed(const Network *n, const Mixer *m, int pack, int lane) {
    float *v = m->packed + (int64_t)(pack * LANES + lane) * m->width;
    if (!(n->packed_lanes[pack] >> lane & 1)) {
        n->packed_lanes[pack] |= (mask)1 << lane;
        for (int i = m->pack[pack]; i < m->pack[pack + 1]; i++)
            v[m->part[i]] = ((const float *)&n->values[m->pack_row[i]])[lane];
    }
    return v;
}

#define WIDE 16
typedef float wide __attribute__((ext_vector_type(WIDE), aligned(4)));

// S += beta k (v - k.S)
INLINE void store(const Mixer *m, float *state, float *total, const float *fixed, int keys,
                  const uint16_t *index, const float *key, float beta, const float *v) {
    for (int c = 0; c < m->width; c += WIDE) {
        wide old = 0.0f;
        for (int i = 0; i < keys; i++) old += key[i] * *(wide *)(state + index[i] * m->width + c);
        wide change = beta * (*(const wide *)(v + c) - old);
        for (int i = 0; i < keys; i++) {
            *(wide *)(state + index[i] * m->width + c) += key[i] * change;
            if (fixed) *(wide *)(total + c) += fixed[index[i]] * key[i] * change;
        }
    }
}

// q.S after the gated norm, but for the gate; 0 when all of it is zero.
INLINE int load(const Mixer *m, const float *state, const float *total, int rows,
                const uint16_t *index, const float *query, float *out) {
    wide squares = 0.0f;
    for (int c = 0; c < m->width; c += WIDE) {
        wide o = 0.0f;
        if (total) o = *(const wide *)(total + c);
        for (int i = 0; i < rows; i++)
            o += query[i] * *(const wide *)(state + index[i] * m->width + c);
        o *= m->scale;
        squares += o * o;
        *(wide *)(out + c) = o;
    }
    for (int half = WIDE / 2; half; half /= 2)
        for (int i = 0; i < half; i++) squares[i] += squares[i + half];
    float square = squares[0];
    if (square == 0.0f) return 0;
    float norm = 1.0f / __builtin_sqrtf(square / m->value_width + 1e-6f);
    for (int c = 0; c < m->width; c += WIDE) *(wide *)(out + c) *= norm;
    return 1;
}

static __attribute__((noinline)) void bank_words(const Network *n, const Mixer *m, int head, int bank, mask writes, mask reads,
                       const vec *beta) {
    vec *x = n->stream;
    float *state = m->state + (int64_t)bank * m->key_width * m->width;
    float *total = m->total + (int64_t)bank * m->width;
    int key = m->key[head], query = m->query[head];
    const float *fixed = m->address[query].fixed;
    for (mask left = writes | reads; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        int64_t k = key * LANES + lane, q = query * LANES + lane;
        if (writes >> lane & 1)
            store(m, state, total, fixed, n->count[k], n->index + k * m->key_width,
                  n->weight + k * m->key_width, ((const float *)beta)[lane],
                  packed(n, m, m->pack_of[bank], lane));
        if (!(reads >> lane & 1)) continue;
        int rows = fixed ? 0 : n->count[q];
        if (!load(m, state, fixed ? total : 0, rows, n->index + q * m->key_width,
                  n->weight + q * m->key_width, n->here))
            continue;
        for (int g = m->gates[bank]; g < m->gates[bank + 1]; g++) {
            float gate = ((const float *)&n->gates[m->gate_of[g]])[lane];
            if (gate == 0.0f) continue;
            for (int e = m->read[g]; e < m->read[g + 1]; e++) {
                float *target = (float *)&x[m->read_at[e]] + lane;
                *target += m->read_weight[e] * (n->here[m->read_part[e]] * gate);
            }
        }
    }
}

// All keys, then all queries that change from word to word.
INLINE void addresses(const Network *n, const Mixer *m, int exact, int lanes) {
    uint32_t known = 0;
    for (int head = 0; head < m->heads; head++) {
        int key = m->key[head];
        if (!(known >> key & 1)) find(n, m, key, exact, lanes, 0);
        known |= 1u << key;
        uint8_t *touched = m->touched + m->query[head] * m->key_width;
        for (int lane = 0; lane < lanes; lane++)
            for (int i = 0; i < n->count[key * LANES + lane]; i++)
                touched[n->index[(int64_t)(key * LANES + lane) * m->key_width + i]] = 1;
    }
    for (int head = 0; head < m->heads; head++) {
        int query = m->query[head];
        if (known >> query & 1 || m->address[query].fixed) continue;
        find(n, m, query, exact, lanes, m->touched + query * m->key_width);
        known |= 1u << query;
    }
}

// Word by word: write, then read, norm and gate. Banks keep their own state, so each goes through
// all lanes before the next. False when something read is no integer.
static __attribute__((noinline)) int mix(const Network *n, const Mixer *m, int exact, int lanes) {
    vec *x = n->stream, *betas = n->product;
    mask live = first_lanes(lanes);
    addresses(n, m, exact, lanes);
    all_rows(&m->gate, x, exact, n->gates, n->gate_lanes);
    all_rows(&m->value, x, exact, n->values, n->lit_lanes);
    for (int pack = 0; pack < m->packs; pack++) n->packed_lanes[pack] = 0;
    Cursor at = {m->beta.column, m->beta.value};
    int row = 0;
    for (int s = 0; s < m->beta.shapes; s++) {
        const int32_t *shape = m->beta.shape + 4 * s;
        for (int end = row + shape[0]; row < end; row++) {
            vec sum = row_sum(x, &at, m->beta.bias[row], shape[1], shape[2], shape[3]);
            betas[row] = sum * m->beta.scale;
        }
    }
    for (int head = 0; head < m->heads; head++) {
        for (int bank = head * m->group; bank < (head + 1) * m->group; bank++) {
            mask writes = 0, reads = 0;
            vec beta = 0.0f;
            if (m->pack_of[bank] >= 0) {
                beta = betas[m->beta_of[bank]];
                writes = above(beta, -104.0f) & live;
                float *each = (float *)&beta;
                for (mask left = writes; left; left &= left - 1) {
                    int lane = __builtin_ctz(left);
                    each[lane] = sigmoid(each[lane]);
                    if (!n->count[m->key[head] * LANES + lane]) writes &= (mask) ~((mask)1 << lane);
                }
            }
            for (int g = m->gates[bank]; g < m->gates[bank + 1]; g++)
                reads |= n->gate_lanes[m->gate_of[g]];
            if (writes | (reads & live)) bank_words(n, m, head, bank, writes, reads & live, &beta);
        }
    }
    mask broken = 0;
    for (int t = 0; t < m->targets; t++) {
        vec v = x[m->target[t]];
        vec off = v - __builtin_elementwise_rint(v);
        broken |= above(off * off, 0.0f);
    }
    return !(broken & live);
}

// --- whole passes

// One pass over up to LANES words, each a bit of the masks. Sums stay exact integers unless a memory
// gives something else (a network that somebody broke): then SiLU is computed in full.
static __attribute__((noinline)) void one_pass(const Network *n, const mask *in, mask *out, int lanes) {
    vec *x = n->stream;
    mask live = first_lanes(lanes);
    MARK();
    x[0] = 1.0f;
    for (int bit = 0; bit < n->bits; bit++)  // lanes without a word repeat the first one's
        x[n->embed[bit]] = spread(in[bit] | (in[bit] & 1 ? (mask)~live : 0));
    int exact = n->whole;
    TICK(n, 0);
    for (int layer = 0; layer < n->layers; layer++) {
        for (int i = n->fresh[layer]; i < n->fresh[layer + 1]; i++) x[n->fresh_at[i]] = 0.0f;
        const Mixer *mixer = n->mixer[layer];
        if (mixer) exact &= mix(n, mixer, exact, lanes);
        TICK(n, 2 * layer + 1);
        mlp(n, n->mlp + layer, exact);
        TICK(n, 2 * layer + 2);
    }
    for (int i = n->fresh[n->layers]; i < n->fresh[n->layers + 1]; i++) x[n->fresh_at[i]] = 0.0f;
    Cursor at = {n->head.column, n->head.value};
    int row = 0;
    for (int s = 0; s < n->head.shapes; s++) {
        const int32_t *shape = n->head.shape + 4 * s;
        for (int end = row + shape[0]; row < end; row++)
            out[n->head_bit[row]] = live & above(
                row_sum(x, &at, n->head.bias[row], shape[1], shape[2], shape[3]), 0.0f);
    }
    TICK(n, 2 * n->layers + 1);
}

static void to_masks(const uint8_t *words, mask *masks, int bits, int lanes) {
    for (int bit = 0; bit < bits; bit++) {
        mask m = 0;
        for (int lane = 0; lane < lanes; lane++)
            m |= (mask)(words[lane * bits + bit] != 0) << lane;
        masks[bit] = m;
    }
}

static void to_words(const mask *masks, uint8_t *words, int bits, int lanes) {
    for (int bit = 0; bit < bits; bit++)
        for (int lane = 0; lane < lanes; lane++)
            words[lane * bits + bit] = masks[bit] >> lane & 1;
}

// Passes until no word has an `alive` bit (never, when there are none), some word has a `stop` bit,
// or `limit` is reached; how many. `words` uint8 [lanes][bits] becomes the last pass's, `history`
// [limit][lanes][bits] takes every pass's when it is not null, `ran` counts the words that went in
// with the first alive bit. More than LANES words go in LANES at a time, as chunks of one prompt do.
int64_t run_passes(const Network *n, uint8_t *words, int64_t lanes, mask *masks, int64_t limit,
                   const int32_t *alive, int32_t alive_count, const int32_t *stop,
                   int32_t stop_count, uint8_t *history, int64_t *ran) {
    int bits = n->bits;
    int64_t count = 0, chunks = (lanes + LANES - 1) / LANES;
    for (int64_t c = 0; c < chunks; c++) {
        int64_t left = lanes - c * LANES;
        to_masks(words + c * LANES * bits, masks + c * bits, bits, left < LANES ? left : LANES);
    }
    *ran = 0;
    while (count < limit) {
        mask going = 0, stopped = 0;
        int64_t running = 0;
        for (int64_t c = 0; c < chunks && alive_count; c++) {
            for (int i = 0; i < alive_count; i++) going |= masks[c * bits + alive[i]];
            running += __builtin_popcount(masks[c * bits + alive[0]]);
        }
        if (alive_count && !going) break;
        *ran += running;
        for (int64_t c = 0; c < chunks; c++) {
            int64_t left = lanes - c * LANES;
            mask *chunk = masks + c * bits;
            one_pass(n, chunk, chunk, left < LANES ? left : LANES);
            for (int i = 0; i < stop_count; i++) stopped |= chunk[stop[i]];
            if (history)
                to_words(chunk, history + (count * lanes + c * LANES) * bits, bits,
                         left < LANES ? left : LANES);
        }
        count++;
        if (stopped) break;
    }
    for (int64_t c = 0; c < chunks; c++) {
        int64_t left = lanes - c * LANES;
        to_words(masks + c * bits, words + c * LANES * bits, bits, left < LANES ? left : LANES);
    }
    return count;
}
