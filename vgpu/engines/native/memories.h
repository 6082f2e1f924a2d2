// One gated delta rule layer: key heads address rows, value heads are banks of rows.

// Each lane's lit rows of an address and their l2-normalised weights. A query leaves out the rows
// that no word has ever written: `touched` is null for a key.
static __attribute__((noinline)) void find(const Network *n, const Mixer *m, int number, int exact,
                                           int lanes, const uint8_t *touched) {
    const Address *a = m->address + number;
    int lit = lit_rows(n, a, exact), most = 0;
    int32_t *count = n->count + number * LANES;
    uint16_t *index = n->index + (int64_t)number * m->key_width * LANES;
    vec *weight = n->weight + (int64_t)number * m->key_width;
    vec square = 1e-6f;
    for (int lane = 0; lane < LANES; lane++) count[lane] = 0;
    mask live = first_lanes(lanes);
    for (int k = 0; k < lit; k++) {
        int place = a->place[n->lit_row[k]];
        square += n->lit[k] * n->lit[k];
        if (touched && !touched[place]) continue;
        for (mask left = n->lit_lanes[k] & live; left; left &= left - 1) {
            int lane = __builtin_ctz(left), slot = count[lane]++;
            index[slot * LANES + lane] = (uint16_t)place;
            ((float *)&weight[slot])[lane] = ((const float *)&n->lit[k])[lane];
        }
    }
    for (int lane = 0; lane < lanes; lane++) most = most > count[lane] ? most : count[lane];
    vec norm = 1.0f / __builtin_elementwise_sqrt(square);
    for (int slot = 0; slot < most; slot++) weight[slot] *= norm;
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

// One lane's rows of an address.
typedef struct {
    int rows;
    const uint16_t *index;  // LANES apart
    const float *weight;
} Lit;

INLINE Lit lit_by(const Network *n, const Mixer *m, int number, int lane) {
    int64_t at = (int64_t)number * m->key_width * LANES + lane;
    return (Lit){n->count[number * LANES + lane], n->index + at, (const float *)n->weight + at};
}

// S += beta k (v - k.S)
INLINE void store(const Mixer *m, float *state, float *total, const float *fixed, Lit key,
                  float beta, const float *v) {
    for (int c = 0; c < m->width; c += WIDE) {
        wide old = 0.0f;
        SHORT_LOOP
        for (int i = 0; i < key.rows; i++)
            old += key.weight[i * LANES] * *(wide *)(state + key.index[i * LANES] * m->width + c);
        wide change = beta * (*(const wide *)(v + c) - old);
        SHORT_LOOP
        for (int i = 0; i < key.rows; i++) {
            wide part = key.weight[i * LANES] * change;
            *(wide *)(state + key.index[i * LANES] * m->width + c) += part;
            if (fixed) *(wide *)(total + c) += fixed[key.index[i * LANES]] * part;
        }
    }
}

// q.S after the gated norm, but for the gate; 0 when all of it is zero.
INLINE int load(const Mixer *m, const float *state, const float *total, Lit query, float *out) {
    wide squares = 0.0f;
    for (int c = 0; c < m->width; c += WIDE) {
        wide o = 0.0f;
        if (total) o = *(const wide *)(total + c);
        SHORT_LOOP
        for (int i = 0; i < query.rows; i++)
            o += query.weight[i * LANES] *
                 *(const wide *)(state + query.index[i * LANES] * m->width + c);
        o *= m->scale;
        squares += o * o;
        *(wide *)(out + c) = o;
    }
    for (int half = WIDE / 2; half; half /= 2)
        for (int i = 0; i < half; i++) squares[i] += squares[i + half];
    if (squares[0] == 0.0f) return 0;
    float norm = 1.0f / __builtin_sqrtf(squares[0] / m->value_width + 1e-6f);
    for (int c = 0; c < m->width; c += WIDE) *(wide *)(out + c) *= norm;
    return 1;
}

// One bank, word by word: write, then read, norm and gate.
static __attribute__((noinline)) void bank_words(const Network *n, const Mixer *m, int head,
                                                 int bank, mask writes, mask reads,
                                                 const vec *beta) {
    vec *x = n->stream;
    float *state = m->state + (int64_t)bank * m->key_width * m->width;
    float *total = m->total + (int64_t)bank * m->width;
    int key = m->key[head], query = m->query[head];
    const float *fixed = m->address[query].fixed;
    for (mask left = writes | reads; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (writes >> lane & 1)
            store(m, state, total, fixed, lit_by(n, m, key, lane), ((const float *)beta)[lane],
                  packed(n, m, m->pack_of[bank], lane));
        if (!(reads >> lane & 1)) continue;
        Lit rows = lit_by(n, m, query, lane);
        if (fixed) rows.rows = 0;
        if (!load(m, state, fixed ? total : 0, rows, n->here)) continue;
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
static __attribute__((noinline)) void addresses(const Network *n, const Mixer *m, int exact, int lanes) {
    uint32_t known = 0;
    for (int head = 0; head < m->heads; head++) {
        int key = m->key[head];
        if (!(known >> key & 1)) find(n, m, key, exact, lanes, 0);
        known |= 1u << key;
        uint8_t *touched = m->touched + m->query[head] * m->key_width;
        for (int lane = 0; lane < lanes; lane++)
            for (int i = 0; i < n->count[key * LANES + lane]; i++)
                touched[n->index[((int64_t)key * m->key_width + i) * LANES + lane]] = 1;
    }
    for (int head = 0; head < m->heads; head++) {
        int query = m->query[head];
        if (known >> query & 1 || m->address[query].fixed) continue;
        find(n, m, query, exact, lanes, m->touched + query * m->key_width);
        known |= 1u << query;
    }
}

#define ROUND 12582912.0f  // 1.5 * 2**23: adding it leaves integers; exact below 2**22

// Banks keep their own state, so each goes through all lanes before the next. False when something
// read is no integer.
static __attribute__((noinline)) int mix(const Network *n, const Mixer *m, int exact, int lanes,
                                          int layer) {
    vec *x = n->stream, *betas = n->product;
    mask live = first_lanes(lanes);
    addresses(n, m, exact, lanes);
    TICK(n, 4 * layer + 1);
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
    TICK(n, 4 * layer + 2);
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
    TICK(n, 4 * layer + 3);
    mask broken = 0;
    for (int t = 0; t < m->targets; t++) {
        vec v = x[m->target[t]];
        vec off = v - ((v + ROUND) - ROUND);
        broken |= above(off * off, 0.0f);
    }
    return !(broken & live);
}
