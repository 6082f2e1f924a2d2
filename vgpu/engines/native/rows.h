// Dot products of sparse rows with every lane's stream, and SiLU.

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

// Gates that are open in some lane go to `lit`, one after the other, and which they are to `lit_row`;
// how many. Where one is shut in all lanes, so are those of the same form with a smaller constant.
static __attribute__((noinline)) int open_gates(const Network *n, const Mlp *m, int exact) {
    Cursor at = {m->form.column, m->form.value};
    int form = 0, lit = 0;
    for (int s = 0; s < m->form.shapes; s++) {
        const int32_t *shape = m->form.shape + 4 * s;
        for (int end = form + shape[0]; form < end; form++) {
            vec sum = row_sum(n->stream, &at, 0.0f, shape[1], shape[2], shape[3]);
            for (int gate = m->gates[form]; gate < m->gates[form + 1]; gate++) {
                mask lanes = activate(sum + m->constant[gate], m->form.scale, exact, &n->lit[lit]);
                n->lit_row[lit] = (uint16_t)gate;
                if (exact && !lanes) break;
                lit += lanes != 0;
            }
        }
    }
    return lit;
}

INLINE float most_of(vec v) {
#if LANES == 1
    return v;
#else
    for (int half = LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++) v[i] = v[i] > v[i + half] ? v[i] : v[i + half];
    return v[0];
#endif
}

// The rows of an address that are lit in some lane, and in which. One that cannot be, by the most
// that its parts have, is not added up.
static __attribute__((noinline)) int lit_rows(const Network *n, const Address *a, int exact) {
    vec *part = n->values;
    Cursor at = {a->part.column, a->part.value};
    int row = 0, lit = 0;
    for (int s = 0; s < a->part.shapes; s++) {
        const int32_t *shape = a->part.shape + 4 * s;
        for (int end = row + shape[0]; row < end; row++) {
            part[row] = row_sum(n->stream, &at, a->part.bias[row], shape[1], shape[2], shape[3]);
            n->most[row] = most_of(part[row]);
        }
    }
    for (row = 0; row < a->rows; row++) {
        int first = a->first[row], second = a->second[row];
        if (exact && n->most[first] + n->most[second] + a->bias[row] <= 0.0f) continue;
        vec sum = part[first] + part[second] + a->bias[row];
        n->lit_lanes[lit] = activate(sum, a->part.scale, exact, &n->lit[lit]);
        n->lit_row[lit] = (uint16_t)row;
        lit += n->lit_lanes[lit] != 0;
    }
    return lit;
}
