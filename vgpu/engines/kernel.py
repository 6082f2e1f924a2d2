"""Native loops of the sparse engine. Streams are fp32 [channels, lanes], lanes innermost.

The stream is the normed one: the norm is the identity on every channel and the carrier reads 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

jit: Callable[..., Any] = numba.njit(cache=True, fastmath=False, boundscheck=False)


@jit
def silu(x: float) -> float:
    """Exact in fp32 where the circuits use it: x for x >= 18, 0 at 0 and below -104."""
    if x >= 18.0:
        return x
    if x == 0.0 or x <= -104.0:
        return 0.0
    return x / (1.0 + math.exp(-x))


@jit
def sigmoid(x: float) -> float:
    if x >= 30.0:
        return 1.0
    if x <= -104.0:
        return 0.0
    return 1.0 / (1.0 + math.exp(-x))


@jit
def embed(words, channel, stream):  # type: ignore[no-untyped-def]
    """Word bits uint8 [lanes, bits] → the stream before the first layer."""
    for lane in range(words.shape[0]):
        stream[0, lane] = 1.0
        for bit in range(words.shape[1]):
            stream[channel[bit], lane] = words[lane, bit]


@jit
def read_head(stream, start, column, value):  # type: ignore[no-untyped-def]
    """The sign of every output logit, uint8 [lanes, bits]."""
    lanes = stream.shape[1]
    out = np.zeros((lanes, len(start) - 1), np.uint8)
    acc = np.zeros(lanes, np.float32)
    for bit in range(len(start) - 1):
        project(stream, start, column, value, bit, acc)
        for lane in range(lanes):
            out[lane, bit] = acc[lane] > 0.0
    return out


@jit
def project(stream, start, column, value, row, acc):  # type: ignore[no-untyped-def]
    """acc[lane] = the row's dot product with each lane's stream."""
    acc[:] = 0.0
    for e in range(start[row], start[row + 1]):
        source, weight = stream[column[e]], value[e]
        for lane in range(len(acc)):
            acc[lane] += weight * source[lane]


@jit
def mlp(  # type: ignore[no-untyped-def]
    stream, layer, first, gate_start, gate_column, gate_value,
    up_start, up_column, up_value, down_start, down_channel, down_value,
):  # fmt: skip
    """One SwiGLU layer. A neuron whose gate is closed in every lane adds exactly zero."""
    lanes = stream.shape[1]
    begin, end = first[layer], first[layer + 1]
    lit = np.empty(end - begin, np.int32)
    hidden = np.empty((end - begin, lanes), np.float32)
    up = np.empty(lanes, np.float32)
    count = 0
    for neuron in range(begin, end):
        gate = hidden[count]
        project(stream, gate_start, gate_column, gate_value, neuron, gate)
        open_ = False
        for lane in range(lanes):
            g = silu(gate[lane])
            gate[lane] = g
            open_ |= g != 0.0
        if not open_:
            continue
        project(stream, up_start, up_column, up_value, neuron, up)
        for lane in range(lanes):
            gate[lane] *= up[lane]
        lit[count] = neuron
        count += 1
    for k in range(count):
        neuron = lit[k]
        for e in range(down_start[neuron], down_start[neuron + 1]):
            target, weight = stream[down_channel[e]], down_value[e]
            for lane in range(lanes):
                target[lane] += weight * hidden[k, lane]


@jit
def project_all(stream, start, column, value):  # type: ignore[no-untyped-def]
    out = np.empty((len(start) - 1, stream.shape[1]), np.float32)
    for row in range(len(start) - 1):
        project(stream, start, column, value, row, out[row])
    return out


@jit
def active_rows(rows, which, base, width, lane, index, weight):  # type: ignore[no-untyped-def]
    """Rows of a query or key that are lit after SiLU, l2-normalised; how many."""
    count = 0
    square = np.float32(0.0)
    for r in range(width):
        at = which[base + r]
        if at < 0 or rows[at, lane] <= -104.0 or rows[at, lane] == 0.0:
            continue
        x = np.float32(silu(rows[at, lane]))
        index[count] = r
        weight[count] = x
        square += x * x
        count += 1
    scale = np.float32(1.0) / np.float32(math.sqrt(square + np.float32(1e-6)))
    for i in range(count):
        weight[i] *= scale
    return count


@jit
def mix(  # type: ignore[no-untyped-def]
    stream, state, epsilon, shape, which, gate_of, bank_gate, beta_of, used,
    address_start, address_column, address_value, gate_start, gate_column, gate_value,
    beta_start, beta_column, beta_value, value_start, value_column, value_value,
    out_start, out_channel, out_value,
):  # fmt: skip
    """One gated delta rule layer, token by token: S += beta k (v - k.S), then read q.S."""
    key_heads, value_heads, key_width, value_width = shape
    group = value_heads // key_heads
    lanes = stream.shape[1]
    rows = project_all(stream, address_start, address_column, address_value)
    gates = project_all(stream, gate_start, gate_column, gate_value)
    betas = project_all(stream, beta_start, beta_column, beta_value)
    added = np.zeros_like(stream)
    key_index, query_index = np.empty(key_width, np.int32), np.empty(key_width, np.int32)
    key, query = np.empty(key_width, np.float32), np.empty(key_width, np.float32)
    scale = np.float32(1.0) / np.float32(math.sqrt(key_width))
    read = np.empty(value_width, np.float32)
    for lane in range(lanes):
        for head in range(key_heads):
            base = head * key_width
            queries = active_rows(rows, which, base, key_width, lane, query_index, query)
            base += key_heads * key_width
            keys = active_rows(rows, which, base, key_width, lane, key_index, key)
            for bank in range(head * group, (head + 1) * group):
                if beta_of[bank] >= 0 and keys > 0:
                    beta = np.float32(sigmoid(betas[beta_of[bank], lane]))
                    if beta != 0.0:
                        for c in range(used[bank]):
                            v = np.float32(0.0)
                            at = bank * value_width + c
                            for e in range(value_start[at], value_start[at + 1]):
                                v += value_value[e] * stream[value_column[e], lane]
                            v = np.float32(silu(v))
                            old = np.float32(0.0)
                            for i in range(keys):
                                old += key[i] * state[bank, key_index[i], c]
                            change = beta * (v - old)
                            for i in range(keys):
                                state[bank, key_index[i], c] += key[i] * change
                shared = bank_gate[bank]
                if shared == -1 or (shared >= 0 and silu(gates[shared, lane]) == 0.0):
                    continue
                square = np.float32(0.0)
                for c in range(used[bank]):
                    o = np.float32(0.0)
                    for i in range(queries):
                        o += query[i] * scale * state[bank, query_index[i], c]
                    read[c] = o
                    square += o * o
                norm = np.float32(1.0) / np.float32(math.sqrt(square / value_width + epsilon))
                for c in range(used[bank]):
                    if gate_of[bank, c] < 0:
                        continue
                    y = read[c] * norm * np.float32(silu(gates[gate_of[bank, c], lane]))
                    at = bank * value_width + c
                    for e in range(out_start[at], out_start[at + 1]):
                        added[out_channel[e], lane] += out_value[e] * y
    for channel in range(stream.shape[0]):
        for lane in range(lanes):
            stream[channel, lane] += added[channel, lane]
