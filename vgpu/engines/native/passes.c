// Whole passes of the sparse engine, LANES words at a time.
//
// The stream is the normed one, fp32 [channel][lane]: the norm is the identity on every channel and
// the carrier reads 1. Compiled once for each number of lanes.

#include "network.h"
#include "rows.h"
#include "memories.h"

// One SwiGLU layer.
static __attribute__((noinline)) void mlp(const Network *n, const Mlp *m, int exact) {
    vec *x = n->stream;
    int lit = open_gates(n, m, exact);
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
        if (mixer) exact &= mix(n, mixer, exact, lanes, layer);
        mlp(n, n->mlp + layer, exact);
        TICK(n, 4 * layer + 4);
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
    TICK(n, 4 * n->layers + 1);
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
