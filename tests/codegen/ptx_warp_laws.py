"""Laws of the programs in `ptx/` whose threads know of each other, and of those that count.

A law takes what every thread was given and returns what every thread must give, in the words of
the PTX ISA. For atomic operations any order of the threads is right, so there is a search for one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_, xor
from typing import Final

from tests.codegen.ptx_instructions import M, lop3, s
from tests.codegen.ptx_laws import weighed

BLOCK: Final = 128
Rows = list[Sequence[int]]
WholeLaw = Callable[[list[int], list[int], list[int]], Rows]


# ---- shuffles (PTX ISA 9.7.9.6, the pseudo-code) ------------------------------------------------


def shuffled(mode: str, values: list[int], b: list[int], c: list[int]) -> list[tuple[int, bool]]:
    """(value, predicate) of each thread, warp by warp."""
    result = []
    for thread, value in enumerate(values):
        lane, warp = thread % 32, thread // 32 * 32
        by, clamp, segment = b[thread] & 31, c[thread] & 31, c[thread] >> 8 & 31
        last = lane & segment | clamp & ~segment & 31
        first = lane & segment
        if mode == "up":
            j, found = lane - by, lane - by >= last
        elif mode == "down":
            j, found = lane + by, lane + by <= last
        elif mode == "bfly":
            j, found = lane ^ by, lane ^ by <= last
        else:
            j = first | by & ~segment & 31
            found = j <= last
        result.append((values[warp + j] if found else value, found))
    return result


def shuffles(
    mode: str, *rounds: tuple[int | None, int]
) -> Callable[[list[int], list[int], list[int]], Rows]:
    """Outputs d, p (of the round that has it, or none), d, d for constants (b or None, c)."""

    def law(a: list[int], b: list[int], c: list[int]) -> Rows:
        columns: list[list[int]] = []
        for number, (by, reach) in enumerate(rounds):
            amounts = b if by is None else [by] * len(a)
            pairs = shuffled(mode, a, amounts, [reach] * len(a))
            columns.append([d for d, _ in pairs])
            if number == (1 if mode == "idx" else 0):
                columns.append([int(p) for _, p in pairs])
        return [list(row) for row in zip(*columns, strict=True)]

    return law


def variable_shuffles(a: list[int], b: list[int], c: list[int]) -> Rows:
    reach = [v & 0x1F1F for v in c]
    modes = ("idx", "up", "down", "bfly")
    columns = [[d for d, _ in shuffled(mode, a, b, reach)] for mode in modes]
    return [list(row) for row in zip(*columns, strict=True)]


def shuffled_halves(a: list[int], b: list[int], c: list[int]) -> Rows:
    rows: Rows = []
    for thread in range(len(a)):
        lane, warp = thread % 32, thread // 32 * 32
        source = min(lane + 1, 15) if lane < 16 else 20
        rows.append([a[warp + source] + (lane < 16)])
    return rows


# ---- votes --------------------------------------------------------------------------------------


def warps(count: int) -> list[range]:
    return [range(first, min(first + 32, count)) for first in range(0, count, 32)]


def voted(a: list[int], b: list[int], c: list[int]) -> Rows:
    rows: Rows = []
    for warp in warps(len(a)):
        said = [s(a[t]) < s(b[t]) for t in warp]
        ballot = sum(p << lane for lane, p in enumerate(said))
        uniform = all(said) or not any(said)
        rows += [[ballot, any(said) | 2 * (not any(said)) | 4 * uniform] for _ in warp]
    return rows


def voted_in_part(a: list[int], b: list[int], c: list[int]) -> Rows:
    rows: Rows = []
    for warp in warps(len(a)):
        even = [t for t in warp if t % 2 == 0]
        ballot = sum((s(a[t]) > 0) << t % 32 for t in even)
        rows += [[ballot if t % 2 == 0 else 0] for t in warp]
    return rows


def matched(a: list[int], b: list[int], c: list[int]) -> Rows:
    rows: Rows = []
    for warp in warps(len(a)):
        keys = {t: a[t] & 3 for t in warp}
        same = {k: sum(1 << t % 32 for t in warp if keys[t] == k) for k in keys.values()}
        whole = len(same) == 1
        rows += [[same[keys[t]], M if whole else 0, int(whole), M] for t in warp]
    return rows


def matched_64(a: list[int], b: list[int], c: list[int]) -> Rows:
    rows: Rows = []
    for warp in warps(len(a)):
        keys = {t: (a[t] & 3, b[t] & 1) for t in warp}
        same = {k: sum(1 << t % 32 for t in warp if keys[t] == k) for k in keys.values()}
        whole = len(same) == 1
        for t in warp:
            elected = 3 if t % 32 < 8 else 108 if t % 32 == 8 else 8
            rows.append([same[keys[t]], M if whole else 0, M + whole + 2, elected])
    return rows


def reduced_in_warps(a: list[int], b: list[int], c: list[int]) -> Rows:
    rows: Rows = []
    for warp in warps(len(a)):
        values = [a[t] for t in warp]
        mixed = min(s(v) for v in values) ^ max(values) ^ reduce(xor, values)
        for t in warp:
            half = values[:16] if t % 32 < 16 else values[16:]
            rows.append([sum(values), mixed, reduce(and_, half), reduce(or_, half)])
    return rows


def counted_at_barriers(a: list[int], b: list[int], c: list[int]) -> Rows:
    rows: Rows = []
    for first in range(0, len(a), BLOCK):
        block = range(first, first + BLOCK)
        said = sum(s(a[t]) < s(b[t]) for t in block)
        flags = 1 * (first == 0) | 2 * (first != 0) | 4 * (77 in block)
        rows += [[said, BLOCK - said, flags] for _ in block]
    return rows


# ---- memory -------------------------------------------------------------------------------------


def swapped(word: int) -> int:
    return int.from_bytes(word.to_bytes(4, "little"), "big")


def vectors(a: list[int], b: list[int], c: list[int]) -> Rows:
    halves = [word >> 16 | (word & 0xFFFF) << 16 for word in b]
    return [[c[t] - t, halves[t], swapped(a[t]), halves[t]] for t in range(len(a))]


def local(a: list[int], b: list[int], c: list[int]) -> Rows:
    rows: Rows = []
    for t in range(len(a)):
        depot = [a[t], b[t], c[t], t]
        at = a[t] & 3
        rows.append([depot[at], depot[at ^ 1], 99 | (b[t] & 255) << 24])
    return rows


def neighbours(a: list[int], b: list[int], c: list[int]) -> Rows:
    return [[a[t ^ 1], b[t // BLOCK * BLOCK + 1]] for t in range(len(a))]


def structures(a: list[int], b: list[int], c: list[int]) -> Rows:
    return [[2 * (b[t], c[t])[t & 1] + 1, 2 * c[t] + 1] for t in range(len(a))]


def special_registers(a: list[int], b: list[int], c: list[int]) -> Rows:
    blocks = len(a) // BLOCK
    return [
        [0, t % BLOCK // 32 * 100 + t % 32, 401, (t % 32 * 1000 + blocks) * 100 + 32]
        for t in range(len(a))
    ]


WHOLE: Final[dict[str, WholeLaw]] = {
    "shfl_idx": shuffles("idx", (None, 31), (None, 0x181F), (5, 0x0003)),
    "shfl_up": shuffles("up", (1, 0), (None, 0x1000), (33, 0)),
    "shfl_down": shuffles("down", (16, 31), (None, 0x1C1F), (2, 0x000F)),
    "shfl_bfly": shuffles("bfly", (16, 31), (None, 0x181F), (1, 0x0014)),
    "shfl_variable": variable_shuffles,
    "shfl_halves": shuffled_halves,
    "vote": voted,
    "vote_uniform": lambda a, b, c: [[3, 0] for _ in a],
    "vote_mask": voted_in_part,
    "match": matched,
    "match_64": matched_64,
    "redux": reduced_in_warps,
    "bar_red": counted_at_barriers,
    "bar_red_exited": lambda a, b, c: [[1020 if t % BLOCK < 40 else 5] for t in range(len(a))],
    "call_many": lambda a, b, c: [
        [
            weighed(x, y, z, x, y, z, x, y, z, t),
            weighed(t, z, y, x, z, y, x, z, y, x),
            (x * y + 4) & M ^ (x * y + 4) >> 32,
            x * y,
        ]
        for t, (x, y, z) in enumerate(zip(a, b, c, strict=True))
    ],
    "active_mask": lambda a, b, c: [[M, 1 if t % 32 < 7 else 2, 3] for t in range(len(a))],
    "vectors": vectors,
    "local": local,
    "shared": neighbours,
    "call_struct": structures,
    "special_registers": special_registers,
}


# ---- atomic operations --------------------------------------------------------------------------


@dataclass(frozen=True)
class Atomic:
    """`change(old, a, b, t)` is what thread t makes of the word; `first` is what it starts as."""

    change: Callable[[int, int, int, int], int]
    first: int = 0


def incremented(old: int, limit: int) -> int:
    return 0 if old >= limit else old + 1


def decremented(old: int, limit: int) -> int:
    return limit if old == 0 or old > limit else old - 1


ATOMICS: Final[dict[str, Atomic]] = {
    "atom_add": Atomic(lambda old, a, b, t: old + a, 5),
    "atom_add_shared": Atomic(lambda old, a, b, t: old + a, 7),
    "atom_min_s32": Atomic(lambda old, a, b, t: min(s(old), s(a)), 0x7FFFFFFF),
    "atom_min_u32": Atomic(lambda old, a, b, t: min(old, a), M),
    "atom_max_u32": Atomic(lambda old, a, b, t: max(old, a), 3),
    "atom_max_s32_shared": Atomic(lambda old, a, b, t: max(s(old), s(a)), 0x80000000),
    "atom_and": Atomic(lambda old, a, b, t: old & b, M),
    "atom_or": Atomic(lambda old, a, b, t: old | a, 0),
    "atom_xor_shared": Atomic(lambda old, a, b, t: old ^ a, 1),
    "atom_exch": Atomic(lambda old, a, b, t: a, 99),
    "atom_exch_shared": Atomic(lambda old, a, b, t: a, 99),
    "atom_inc": Atomic(lambda old, a, b, t: incremented(old, 20), 18),
    "atom_inc_variable": Atomic(lambda old, a, b, t: incremented(old, b & 31), 30),
    "atom_dec": Atomic(lambda old, a, b, t: decremented(old, b & 31), 30),
    "atom_cas": Atomic(lambda old, a, b, t: a if old == t else old, 0),
    "cas_loop": Atomic(lambda old, a, b, t: old * (a | 1), 1),
    "atom_guarded": Atomic(lambda old, a, b, t: old + 3, 1000),
}


def in_some_order(
    first: int, last: int, threads: dict[int, tuple[int, Callable[[int], int]]]
) -> bool:
    """The threads (number → old value seen, change) can take turns from `first` to `last`."""
    state, left = first, dict(threads)
    trail: list[tuple[int, dict[int, tuple[int, Callable[[int], int]]], list[int]]] = []
    while True:
        for t in [t for t, (old, change) in left.items() if old == state == change(old) & M]:
            del left[t]  # changes nothing: now is as good as later
        if not left and state == last:
            return True
        trail.append((state, dict(left), [t for t, (old, _) in left.items() if old == state]))
        while trail and not trail[-1][2]:
            trail.pop()
        if not trail:
            return False
        state, left, ways = trail[-1][0], dict(trail[-1][1]), trail[-1][2]
        _, change = left.pop(ways.pop(0))
        state = change(state) & M


def reduced(cells: list[int], a: list[int], b: list[int], c: list[int]) -> list[int]:
    """The words after `red`, whatever the order."""
    words = list(cells)
    for x, y, z in zip(a, b, c, strict=True):
        words[0] = words[0] + x & M
        words[1] = min(s(words[1]), s(x)) & M
        words[2] = max(words[2], x)
        words[3] &= y
        words[4] |= y
        words[5] = lop3(words[5], z, 0, 0x3C)
        words[6] = incremented(words[6], 100)
        words[7] = decremented(words[7], 100)
    return words
