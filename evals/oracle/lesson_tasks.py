"""References for the tasks of lessons; what their pieces are is in `lessons`."""

from __future__ import annotations

import math
from collections import Counter
from functools import reduce
from itertools import accumulate, combinations, groupby


def runs(flags):
    """Lengths of the unbroken runs of true."""
    return [len(list(group)) for flag, group in groupby(flags) if flag]


def counted(found):
    """The numbers with their count in front."""
    return [len(found), *found]


def steps(a):
    return list(zip(a, a[1:], strict=False))


def windows(a, width):
    return [a[i : i + width] for i in range(len(a) - width + 1)]


def mean(values):
    return sum(values) // len(values) if values else 0


def position(values, best):
    return values.index(best(values)) if values else 0


def first(found, otherwise=-1):
    return next(iter(found), otherwise)


def in_sorted_order(case):
    return steps(sorted(case.a))


def balances(case, start):
    return list(accumulate(case.a, initial=start))[1:]


def ordered(case, *, down=False):
    return sorted(case.values, reverse=down)


ONE = {
    "count": lambda c: len(c.kept),
    "sum": lambda c: sum(c.values),
    "product": lambda c: math.prod(x for _i, x in c.kept),
    "product_all": lambda c: math.prod(c.a),
    "largest": lambda c: max(c.values),
    "smallest": lambda c: min(c.values),
    "largest_where": lambda c: max((x for _i, x in c.kept), default=c.f),
    "smallest_where": lambda c: min((x for _i, x in c.kept), default=c.f),
    "first_where": lambda c: first((x for _i, x in c.kept), c.f),
    "last_where": lambda c: first((x for _i, x in reversed(c.kept)), c.f),
    "first_position": lambda c: first(i for i, _x in c.kept),
    "last_position": lambda c: first(i for i, _x in reversed(c.kept)),
    "largest_position": lambda c: position(c.values, max),
    "smallest_position": lambda c: position(c.values, min),
    "which_has_largest": lambda c: c.a[position(c.values, max)],
    "which_has_smallest": lambda c: c.a[position(c.values, min)],
    "all": lambda c: all(c.flags()),
    "any": lambda c: any(c.flags()),
    "longest_run": lambda c: max(runs(c.flags()), default=0),
    "runs": lambda c: len(runs(c.flags())),
    "mean": lambda c: mean(c.values),
    "count_distinct": lambda c: len({x for _i, x in c.kept}),
    "percent": lambda c: math.floor(100 * len(c.kept) / len(c.a)),
    "xor": lambda c: reduce(lambda x, y: x ^ y, (x for _i, x in c.kept), 0),
    "or": lambda c: reduce(lambda x, y: x | y, (x for _i, x in c.kept), 0),
    "sum_minus": lambda c: 2 * sum(x for _i, x in c.kept) - sum(c.a),
    "count_minus": lambda c: 2 * len(c.kept) - len(c.a),
    "majority": lambda c: len(c.kept) > len(c.a) / 2,
    "at_least_so_many": lambda c: len(c.kept) >= c.q,
    "nth_where": lambda c: c.kept[c.q - 1][1] if len(c.kept) >= c.q else -1,
    "first_minus_last": lambda c: c.a[0] - c.a[-1],
    "range": lambda c: max(c.values) - min(c.values),
    "how_often_largest": lambda c: c.values.count(max(c.values)),
    "how_often_smallest": lambda c: c.values.count(min(c.values)),
    "alternating": lambda c: sum(c.values[::2]) - sum(c.values[1::2]),
    "total_reaches": lambda c: first(
        i for i, total in enumerate(accumulate(c.values)) if total >= c.q
    ),
}

LISTS = {
    "map": lambda c: c.values,
    "map_where": lambda c: [c.value(x, i) if c.test(x, i) else x for i, x in c.places],
    "flags": lambda c: c.flags(),
    "replace": lambda c: [c.f if c.test(x, i) else x for i, x in c.places],
    "filter": lambda c: counted([x for _i, x in c.kept]),
    "filter_map": lambda c: counted(c.values),
    "drop": lambda c: counted([x for i, x in c.places if not c.test(x, i)]),
    "positions": lambda c: counted([i for i, _x in c.kept]),
    "two_counts": lambda c: [len(c.kept), sum(c.test(x, i, "d") for i, x in c.places)],
    "sum_and_count": lambda c: [sum(x for _i, x in c.kept), len(c.kept)],
    "two_sums": lambda c: [
        sum(x for _i, x in c.kept), sum(x for i, x in c.places if not c.test(x, i)),
    ],
    "running_sum": lambda c: list(
        accumulate(c.value(x, i) if c.test(x, i) else 0 for i, x in c.places)
    ),
    "running_count": lambda c: list(accumulate(map(int, c.flags()))),
    "running_largest": lambda c: list(accumulate(c.values, max)),
    "running_smallest": lambda c: list(accumulate(c.values, min)),
    "running_length": lambda c: list(accumulate(map(int, c.flags()), lambda n, f: (n + 1) * f)),
    "partition": lambda c: [
        *(x for _i, x in c.kept), *(x for i, x in c.places if not c.test(x, i)),
    ],
    "reverse": lambda c: c.values[::-1],
    "rotate": lambda c: [c.a[(i + c.q) % len(c.a)] for i in range(len(c.a))],
    "every_kth": lambda c: counted(c.a[:: c.q]),
    "blocks": lambda c: counted([sum(c.values[i : i + c.q]) for i in range(0, len(c.a), c.q)]),
    "unique": lambda c: counted(list(dict.fromkeys(c.a))),
    "repeated": lambda c: counted([x for i, x in c.places if x in c.a[:i]]),
    "ranks": lambda c: [sorted(c.a, reverse=True).index(x) + 1 for x in c.a],
    "smaller_counts": lambda c: [sorted(c.a).index(x) for x in c.a],
    "frequencies": lambda c: [c.a.count(x) for x in c.a],
    "histogram": lambda c: classes(c, lambda x: 1),
    "histogram_where": lambda c: classes(c, lambda x: 1),
    "class_sums": lambda c: [
        sum(c.value(x, i) for i, x in c.places if c.bin(x, i) == b) for b in range(c.size)
    ],
    "busiest_class": lambda c: position(classes(c, lambda x: 1), max),
}  # fmt: skip


def classes(c, weight):
    return [sum(weight(x) for i, x in c.kept if c.bin(x, i) == b) for b in range(c.size)]


NEIGHBOURS = {
    "neighbour_count": lambda c: sum(c.related(x, y) for x, y in steps(c.a)),
    "neighbour_all": lambda c: all(c.related(x, y) for x, y in steps(c.a)),
    "neighbour_any": lambda c: any(c.related(x, y) for x, y in steps(c.a)),
    "neighbour_first": lambda c: first(
        i for i, (x, y) in enumerate(steps(c.a), 1) if c.related(x, y)
    ),
    "neighbour_stretch": lambda c: 1 + max(
        runs(c.related(x, y) for x, y in steps(c.a)), default=0
    ),
    "neighbour_flags": lambda c: [c.related(x, y) for x, y in steps(c.a)],
    "neighbour_map": lambda c: [c.combined(x, y) for x, y in steps(c.a)],
    "neighbour_sum": lambda c: sum(c.combined(x, y) for x, y in steps(c.a) if c.related(x, y)),
    "neighbour_largest": lambda c: max((c.combined(x, y) for x, y in steps(c.a)), default=0),
    "neighbour_smallest": lambda c: min((c.combined(x, y) for x, y in steps(c.a)), default=0),
    "neighbour_largest_position": lambda c: (
        1 + position([c.combined(x, y) for x, y in steps(c.a)], max) if len(c.a) > 1 else 0
    ),
    "neighbour_filter": lambda c: counted([y for x, y in steps(c.a) if c.related(x, y)]),
    "collapse": lambda c: counted([x for x, _group in groupby(c.a)]),
    "peaks": lambda c: sum(max(x, z) < y for x, y, z in windows(c.a, 3)),
    "valleys": lambda c: sum(min(x, z) > y for x, y, z in windows(c.a, 3)),
    "window_sum": lambda c: [sum(w) for w in windows(c.a, c.q)],
    "window_mean": lambda c: [mean(w) for w in windows(c.a, c.q)],
    "window_largest": lambda c: [max(w) for w in windows(c.a, c.q)],
    "window_smallest": lambda c: [min(w) for w in windows(c.a, c.q)],
    "window_range": lambda c: [max(w) - min(w) for w in windows(c.a, c.q)],
    "window_product": lambda c: [math.prod(w) for w in windows(c.a, c.q)],
    "window_count": lambda c: [sum(map(c.test, w)) for w in windows(c.a, c.q)],
    "window_best_sum": lambda c: max(map(sum, windows(c.a, c.q))),
    "window_least_sum": lambda c: min(map(sum, windows(c.a, c.q))),
    "window_sums_above": lambda c: sum(sum(w) > c.t for w in windows(c.a, c.q)),
    "around_sum": lambda c: [x + z for x, _y, z in windows(c.a, 3)],
    "lag_difference": lambda c: [w[-1] - w[0] for w in windows(c.a, c.q + 1)],
    "sort_up": lambda c: ordered(c),
    "sort_down": lambda c: ordered(c, down=True),
    "sort_where": lambda c: counted(sorted(x for _i, x in c.kept)),
    "sorted_smallest_gap": lambda c: min(
        (c.combined(x, y) for x, y in in_sorted_order(c)), default=0
    ),
    "sorted_largest": lambda c: max((c.combined(x, y) for x, y in in_sorted_order(c)), default=0),
    "sorted_sum": lambda c: sum(c.combined(x, y) for x, y in in_sorted_order(c) if c.related(x, y)),
    "sorted_count": lambda c: sum(c.related(x, y) for x, y in in_sorted_order(c)),
    "sorted_map": lambda c: [c.combined(x, y) for x, y in in_sorted_order(c)],
    "kth_smallest": lambda c: ordered(c)[c.q - 1],
    "kth_largest": lambda c: ordered(c)[-c.q],
    "median": lambda c: ordered(c)[(len(c.a) - 1) // 2],
    "top_sum": lambda c: sum(ordered(c)[-c.q :]),
    "bottom_sum": lambda c: sum(ordered(c)[: c.q]),
    "trimmed_sum": lambda c: sum(c.values) - max(c.values) - min(c.values),
    "middle_range": lambda c: ordered(c)[-1 - c.q] - ordered(c)[c.q],
    "top_list": lambda c: ordered(c, down=True)[: c.q],
    "bottom_list": lambda c: ordered(c)[: c.q],
    "distinct": lambda c: len(set(c.values)),
    "second_largest": lambda c: ordered(c)[-2],
    "second_smallest": lambda c: ordered(c)[1],
    "weighted_order": lambda c: sum(i * x for i, x in enumerate(ordered(c), 1)),
}  # fmt: skip


def both(c):
    return list(zip(c.a, c.b, strict=True))


def written(numbers, base=10):
    """Every digit of all numbers, the lowest first."""
    for x in numbers:
        yield x % base
        while x >= base:
            x //= base
            yield x % base


def digit_counts(numbers, base):
    found = Counter(written(numbers, base))
    return [found[d] for d in range(base)]


PAIRS = {
    "pair_count": lambda c: sum(c.related(x, y) for x, y in c.pairs),
    "pair_any": lambda c: any(c.related(x, y) for x, y in c.pairs),
    "pair_all": lambda c: all(c.related(x, y) for x, y in c.pairs),
    "pair_sum": lambda c: sum(c.combined(x, y) for x, y in c.pairs if c.related(x, y)),
    "pair_largest": lambda c: max((c.combined(x, y) for x, y in c.pairs), default=0),
    "pair_smallest": lambda c: min((c.combined(x, y) for x, y in c.pairs), default=0),
    "pair_partners": lambda c: [sum(c.related(x, y) for y in c.a[i + 1 :]) for i, x in c.places],
    "triple_count": lambda c: sum(sum(three) == c.t for three in combinations(c.a, 3)),
    "two_count": lambda c: sum(c.related(x, y) for x, y in both(c)),
    "two_flags": lambda c: [c.related(x, y) for x, y in both(c)],
    "two_all": lambda c: all(c.related(x, y) for x, y in both(c)),
    "two_first": lambda c: first(i for i, (x, y) in enumerate(both(c)) if c.related(x, y)),
    "two_sum": lambda c: sum(c.combined(x, y) for x, y in both(c) if c.related(x, y)),
    "two_map": lambda c: [c.combined(x, y) for x, y in both(c)],
    "two_largest": lambda c: max(c.combined(x, y) for x, y in both(c)),
    "two_smallest": lambda c: min(c.combined(x, y) for x, y in both(c)),
    "two_filter": lambda c: counted([x for x, y in both(c) if c.related(x, y)]),
    "weighted_where": lambda c: sum(c.b[i] for i, _x in c.kept),
    "count_in_other": lambda c: sum(x in c.b for x in c.a),
    "count_not_in_other": lambda c: sum(x not in c.b for x in c.a),
    "in_other": lambda c: counted([x for x in c.a if x in c.b]),
    "cross_count": lambda c: sum(c.related(x, y) for x in c.a for y in c.b),
    "interleave": lambda c: [x for two in both(c) for x in two],
    "append": lambda c: c.a + c.b,
    "digit_use": lambda c: "".join(map(str, c.a)).count(str(c.q)),
    "digits_written": lambda c: len("".join(map(str, c.a))),
    "highest_digit": lambda c: max("".join(map(str, c.a))),
    "digit_classes": lambda c: c.digit_class(c.a),
    "base_digits": lambda c: digit_counts(c.a, c.q),
    "digit_holders": lambda c: [sum(str(d) in str(x) for x in c.a) for d in range(10)],
    "digit_positions": lambda c: [sum(x // 10**p % 10 for x in c.a) for p in range(6)],
    "bit_places": lambda c: [sum(x >> p & 1 for x in c.a) for p in range(10)],
}


def collatz(x):
    return 0 if x == 1 else 1 + collatz(3 * x + 1 if x % 2 else x // 2)


def grown(c):
    years, t = 0, c.u
    while t < c.w:
        years, t = years + 1, t + 1 + t * c.q // 100
    return years


def sequence(c):
    return list(accumulate(range(c.w - 1), lambda t, _i: t * c.s % 1000 + c.e, initial=c.u))


def fibonacci(c):
    found = [c.u, c.w]
    while len(found) <= c.e:
        found.append(found[-1] + found[-2])
    return found[c.e]


def boxes(c):
    found = [0]
    for x in c.a:
        if found[-1] + x > c.u:
            found.append(0)
        found[-1] += x
    return len(found)


def digits_in(x, base):
    return list(written([x], base))


def spans(a):
    return [a[i:j] for i in range(len(a)) for j in range(i + 1, len(a) + 1)]


SCALARS = {
    "range_count": lambda c: sum(c.test(x) for x in range(1, c.u + 1)),
    "range_sum": lambda c: sum(c.value(x) for x in range(1, c.u + 1) if c.test(x)),
    "range_list": lambda c: counted([x for x in range(1, c.u + 1) if c.test(x)]),
    "value_of": lambda c: c.value(c.u),
    "test_of": lambda c: c.test(c.u),
    "digits_of": lambda c: c.digit_class([c.u]),
    "base_of": lambda c: counted(digits_in(c.u, c.q)),
    "gcd": lambda c: math.gcd(c.u, c.w),
    "power_mod": lambda c: pow(c.u, c.e, c.w),
    "halvings": lambda c: c.u.bit_length() - 1,
    "collatz": lambda c: collatz(c.u),
    "countdown": lambda c: math.ceil(c.u / c.s),
    "growth": grown,
    "sequence": sequence,
    "fibonacci_like": fibonacci,
    "balance_floor": lambda c: reduce(lambda t, x: max(0, t + x), c.a, c.u),
    "balance_cap": lambda c: reduce(lambda t, x: min(c.u, t + x), c.a, 0),
    "balance_lowest": lambda c: min([c.u, *balances(c, c.u)]),
    "balance_below": lambda c: sum(t < 0 for t in balances(c, c.u)),
    "balance_where": lambda c: sum(c.test(t) for t in balances(c, c.u)),
    "packing": boxes,
    "best_stretch": lambda c: max(map(sum, spans(c.a))),
    "best_rise": lambda c: max([0, *(y - x for x, y in c.pairs)]),
    "greatest_fall": lambda c: max([0, *(x - y for x, y in c.pairs)]),
    "records": lambda c: sum(x > max(c.a[:i], default=x - 1) for i, x in c.places),
    "gcd_list": lambda c: math.gcd(*c.a),
    "commonest": lambda c: max(c.a, key=c.a.count),
}

TASKS = ONE | LISTS | NEIGHBOURS | PAIRS | SCALARS
