"""Native passes of the sparse engine. Streams are fp32 [channels, lanes], lanes innermost.

The stream is the normed one: the norm is the identity on every channel and the carrier reads 1.
The number of lanes is 1, 8 or a multiple of 32 (`padded`); lanes beyond the words are all zero,
which every layer leaves at zero.
"""

# Numba infers the types here from the arrays it is called with.
# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False
# mypy: disable-error-code="assignment"

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from vgpu.engines.vectors import (
    axpy1,
    axpy8,
    axpy32,
    dot1,
    dot8,
    dot32,
    gate1,
    gate8,
    gate32,
    multiply1,
    multiply8,
    multiply32,
)

# Without the interpreter lock: the terminal app draws and takes keys while passes run.
jit: Callable[..., Any] = numba.njit(cache=True, nogil=True)


def padded(lanes: int) -> int:
    """Lanes of a stream that holds that many words."""
    if lanes <= 1:
        return 1
    return 8 if lanes <= 8 else -(-lanes // 32) * 32


@jit
def silu(x):
    """Exact in fp32 where the circuits use it: x for x >= 18, 0 at 0 and below -104."""
    if x >= 18.0:
        return x
    if x == 0.0 or x <= -104.0:
        return np.float32(0.0)
    return np.float32(x / (1.0 + math.exp(-x)))


@jit
def sigmoid(x):
    if x >= 30.0:
        return np.float32(1.0)
    if x <= -104.0:
        return np.float32(0.0)
    return np.float32(1.0 / (1.0 + math.exp(-x)))


@jit
def project(x, lanes, column, value, begin, end, out):
    """out[lane] = a row's dot product with each lane's stream. All but `lanes` are addresses."""
    if lanes == 1:
        dot1(x, 4, column, value, begin, end, out)
    elif lanes == 8:
        dot8(x, 32, column, value, begin, end, out)
    else:
        for block in range(0, 4 * lanes, 128):
            dot32(x + block, 4 * lanes, column, value, begin, end, out + block)


@jit
def gate_flags(x, lanes, column, value, begin, end, out):
    """out[lane] = max(dot, 0); the flags of `vectors.make_gate`."""
    if lanes == 1:
        return gate1(x, 4, column, value, begin, end, out)
    if lanes == 8:
        return gate8(x, 32, column, value, begin, end, out)
    flags = 0
    for block in range(0, 4 * lanes, 128):
        flags |= gate32(x + block, 4 * lanes, column, value, begin, end, out + block)
    return flags


@jit
def add_scaled(target, lanes, weight, source):
    if lanes == 1:
        axpy1(target, weight, source)
    elif lanes == 8:
        axpy8(target, weight, source)
    else:
        for block in range(0, 4 * lanes, 128):
            axpy32(target + block, weight, source + block)


@jit
def multiply(target, lanes, source):
    if lanes == 1:
        multiply1(target, source)
    elif lanes == 8:
        multiply8(target, source)
    else:
        for block in range(0, 4 * lanes, 128):
            multiply32(target + block, source + block)


@jit
def silu_rows(stream, start, column, value, first, last, out, lit):
    """out[r] = SiLU of row r's dot products; `lit[r]`: some lane is not zero."""
    lanes = stream.shape[1]
    x, c, v, o = stream.ctypes.data, column.ctypes.data, value.ctypes.data, out.ctypes.data
    for row in range(first, last):
        at = o + 4 * lanes * (row - first)
        flags = gate_flags(x, lanes, c, v, start[row], start[row + 1], at)
        if flags & 2:
            project(x, lanes, c, v, start[row], start[row + 1], at)
            for lane in range(lanes):
                out[row - first, lane] = silu(out[row - first, lane])
        lit[row - first] = flags != 0


@jit
def mlp(stream, layer, weights, hidden, lit, up):
    """One SwiGLU layer. A neuron whose gate is closed in every lane adds exactly zero."""
    first, gate_start, gate_column, gate_value = weights[0:4]
    up_start, up_column, up_value = weights[4:7]
    down_start, down_channel, down_value = weights[7:10]
    lanes = stream.shape[1]
    begin, end = first[layer], first[layer + 1]
    silu_rows(stream, gate_start, gate_column, gate_value, begin, end, hidden, lit)
    x, h, u = stream.ctypes.data, hidden.ctypes.data, up.ctypes.data
    c, v = up_column.ctypes.data, up_value.ctypes.data
    stride = 4 * lanes
    for k in range(end - begin):
        if lit[k]:
            neuron = begin + k
            project(x, lanes, c, v, up_start[neuron], up_start[neuron + 1], u)
            multiply(h + stride * k, lanes, u)
    for k in range(end - begin):
        if lit[k]:
            for e in range(down_start[begin + k], down_start[begin + k + 1]):
                target = x + stride * down_channel[e]
                add_scaled(target, lanes, down_value[e], h + stride * k)


@jit
def gather(rows, lit, which, base, width, lanes, index, weight, count):
    """Each lane's lit rows of one query or key and their l2-normalised weights."""
    count[:lanes] = 0
    for r in range(width):
        at = which[base + r]
        if at < 0 or not lit[at]:
            continue
        for lane in range(lanes):
            x = rows[at, lane]
            if x != 0.0:
                index[lane, count[lane]] = r
                weight[lane, count[lane]] = x
                count[lane] += 1
    for lane in range(lanes):
        square = np.float32(1e-6)
        for i in range(count[lane]):
            square += weight[lane, i] * weight[lane, i]
        norm = np.float32(1.0) / np.float32(math.sqrt(square))
        for i in range(count[lane]):
            weight[lane, i] *= norm


@jit
def write_row(
    state, touched, total, steady, keys, index, key, queries, query, beta, values, of, lane, used
):
    """S += beta k (v - k.S) for one bank; keeps `total` = q.S when the query never changes, and
    notes the rows that can be other than 0."""
    for c in range(used):
        v = values[of[c], lane] if of[c] >= 0 else np.float32(0.0)
        old = np.float32(0.0)
        for i in range(keys):
            old += key[i] * state[index[i], c]
        change = beta * (v - old)
        if change != 0.0:
            for i in range(keys):
                touched[index[i]] = True
                state[index[i], c] += key[i] * change
                if steady:
                    total[c] += query[index[i]] * key[i] * change


@jit
def mix(stream, lanes, state, touched, total, weights, added):
    """One gated delta rule layer: token by token, write, then read q.S, norm and gate it.

    A head whose query is the same on every token (a census) is read from a running `total`.
    """
    shape, which, gate_of, bank_gate, beta_of, used, value_of, steady = weights[0:8]
    key_heads, value_heads, key_width, value_width = shape[0], shape[1], shape[2], shape[3]
    group = value_heads // key_heads
    wide = stream.shape[1]
    rows = np.empty((len(weights[8]) - 1, wide), np.float32)
    lit = np.empty(len(rows), np.bool_)
    silu_rows(stream, weights[8], weights[9], weights[10], 0, len(rows), rows, lit)
    gates = np.empty((len(weights[11]) - 1, wide), np.float32)
    gate_lit = np.empty(len(gates), np.bool_)
    silu_rows(stream, weights[11], weights[12], weights[13], 0, len(gates), gates, gate_lit)
    values = np.empty((len(weights[17]) - 1, wide), np.float32)
    value_lit = np.empty(len(values), np.bool_)
    betas = np.empty((len(weights[14]) - 1, wide), np.float32)
    x, c, v, o = (
        stream.ctypes.data, weights[15].ctypes.data, weights[16].ctypes.data, betas.ctypes.data
    )  # fmt: skip
    for row in range(len(betas)):
        begin, end = weights[14][row], weights[14][row + 1]
        project(x, wide, c, v, begin, end, o + 4 * wide * row)
    beta_open = np.zeros(len(betas), np.bool_)
    for row in range(len(betas)):
        for lane in range(lanes):
            beta_open[row] |= betas[row, lane] > -104.0
    silu_rows(stream, weights[17], weights[18], weights[19], 0, len(values), values, value_lit)
    out_start, out_channel, out_value, targets = weights[20:24]
    for channel in targets:
        for lane in range(wide):
            added[channel, lane] = 0.0
    query_index = np.empty((lanes, key_width), np.int32)
    key_index = np.empty((lanes, key_width), np.int32)
    query = np.empty((lanes, key_width), np.float32)
    key = np.empty((lanes, key_width), np.float32)
    queries, keys = np.zeros(lanes, np.int32), np.zeros(lanes, np.int32)
    scale = np.float32(1.0) / np.float32(math.sqrt(key_width))
    read = np.empty(value_width, np.float32)
    near_index, near_weight = np.empty(key_width, np.int32), np.empty(key_width, np.float32)
    for head in range(key_heads):
        base = head * key_width
        gather(rows, lit, which, base, key_width, lanes, query_index, query, queries)
        base += key_heads * key_width
        gather(rows, lit, which, base, key_width, lanes, key_index, key, keys)
        for bank in range(head * group, (head + 1) * group):
            # Banks keep their own state, so each can go through all tokens before the next; one
            # that no token writes or reads is skipped.
            shared = bank_gate[bank]
            written = beta_of[bank] >= 0 and beta_open[beta_of[bank]]
            if not written and (shared == -1 or (shared >= 0 and not gate_lit[shared])):
                continue
            for lane in range(lanes):
                if beta_of[bank] >= 0 and keys[lane] > 0:
                    beta = sigmoid(betas[beta_of[bank], lane])
                    if beta != 0.0:
                        write_row(
                            state[bank], touched[bank], total[bank], steady[head], keys[lane],
                            key_index[lane], key[lane], queries[lane], query[lane], beta,
                            values, value_of[bank], lane, used[bank],
                        )  # fmt: skip
                if shared == -1 or (shared >= 0 and gates[shared, lane] == 0.0):
                    continue
                near = 0
                if not steady[head]:
                    for i in range(queries[lane]):
                        if touched[bank, query_index[lane, i]]:
                            near_index[near] = query_index[lane, i]
                            near_weight[near] = query[lane, i] * scale
                            near += 1
                    if near == 0:
                        continue  # all rows read are 0, and so is what comes out
                square = np.float32(0.0)
                for c in range(used[bank]):
                    o = np.float32(0.0)
                    if steady[head]:
                        o = total[bank, c] * scale
                    for i in range(near):
                        o += near_weight[i] * state[bank, near_index[i], c]
                    read[c] = o
                    square += o * o
                norm = np.float32(1.0) / np.float32(
                    math.sqrt(square / np.float32(value_width) + np.float32(1e-6))
                )
                for c in range(used[bank]):
                    if gate_of[bank, c] < 0 or read[c] == 0.0:
                        continue
                    y = read[c] * norm * gates[gate_of[bank, c], lane]
                    at = bank * value_width + c
                    for e in range(out_start[at], out_start[at + 1]):
                        added[out_channel[e], lane] += out_value[e] * y
    for channel in targets:
        for lane in range(wide):
            stream[channel, lane] += added[channel, lane]


@jit
def one_pass(
    words,
    out,
    stream,
    embed,
    layers,
    mlp_weights,
    mixer_of,
    mixers,
    states,
    touched,
    totals,
    head,
    scratch,
):
    """Words uint8 [lanes, bits] through all layers into `out`."""
    hidden, lit, up, added = scratch
    lanes = len(words)
    stream[:] = 0.0
    for lane in range(lanes):
        stream[0, lane] = 1.0
        for bit in range(words.shape[1]):
            stream[embed[bit], lane] = words[lane, bit]
    for layer in range(layers):
        if mixer_of[layer] >= 0:
            k = mixer_of[layer]
            mix(stream, lanes, states[k], touched[k], totals[k], mixers[k], added)
        mlp(stream, layer, mlp_weights, hidden, lit, up)
    for bit in range(len(head[0]) - 1):
        project(
            stream.ctypes.data, stream.shape[1], head[1].ctypes.data, head[2].ctypes.data,
            head[0][bit], head[0][bit + 1], up.ctypes.data,
        )  # fmt: skip
        for lane in range(lanes):
            out[lane, bit] = up[lane] > 0.0


@jit
def passes(words, limit, alive, stop, history, network, memory):
    """Passes until no word has an `alive` bit, some word has a `stop` bit, or `limit` is reached.

    `words` is replaced by the last pass's; `history` [limit, lanes, bits] takes every pass's when
    it is not empty. Returns the number of passes, and of words that had the first alive bit.
    """
    embed, layers, mlp_weights, mixer_of, mixers, head = network
    states, touched, totals, stream, hidden, lit, up, added = memory
    out = np.empty_like(words)
    scratch = (hidden, lit, up, added)
    count, ran = 0, 0
    while count < limit:
        going = False
        for lane in range(len(words)):
            for bit in alive:
                going |= words[lane, bit] != 0
            ran += words[lane, alive[0]]
        if not going:
            for lane in range(len(words)):
                ran -= words[lane, alive[0]]
            break
        one_pass(
            words,
            out,
            stream,
            embed,
            layers,
            mlp_weights,
            mixer_of,
            mixers,
            states,
            touched,
            totals,
            head,
            scratch,
        )
        words[:] = out
        if len(history) > 0:
            history[count] = out
        count += 1
        stopped = False
        for lane in range(len(words)):
            for bit in stop:
                stopped |= words[lane, bit] != 0
        if stopped:
            break
    return count, ran
