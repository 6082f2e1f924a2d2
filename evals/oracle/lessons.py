"""What the programs of lessons must give, worked out in Python apart from their code: a reference
for each piece and each task, by the names that they have in prompts/lessons."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from evals.oracle.lesson_tasks import TASKS


def digits(x, base=10):
    """The digits of a number, the lowest first; zero has one."""
    found = [x % base]
    while x >= base:
        x //= base
        found.append(x % base)
    return found


def ones(x):
    return f"{x:b}".count("1")


def prime(x):
    return x > 1 and all(x % d for d in range(2, math.isqrt(x) + 1))


def palindrome(x):
    return str(x) == str(x)[::-1]


# (x, place, list, constants) → true or false
CONDITIONS = {
    "odd": lambda x, i, a, k: x % 2 == 1,
    "even": lambda x, i, a, k: x % 2 == 0,
    "divisible": lambda x, i, a, k: x % k["k"] == 0,
    "not_divisible": lambda x, i, a, k: x % k["k"] != 0,
    "remainder": lambda x, i, a, k: x % k["k"] == k["r"],
    "above": lambda x, i, a, k: x > k["k"],
    "below": lambda x, i, a, k: x < k["k"],
    "at_least": lambda x, i, a, k: not x < k["k"],
    "at_most": lambda x, i, a, k: not x > k["k"],
    "between": lambda x, i, a, k: k["l"] <= x <= k["h"],
    "strictly_between": lambda x, i, a, k: k["l"] < x < k["h"],
    "outside": lambda x, i, a, k: not k["l"] <= x <= k["h"],
    "negative": lambda x, i, a, k: x < 0,
    "positive": lambda x, i, a, k: x > 0,
    "not_negative": lambda x, i, a, k: not x < 0,
    "zero": lambda x, i, a, k: not x,
    "nonzero": lambda x, i, a, k: bool(x),
    "equals": lambda x, i, a, k: x == k["k"],
    "differs": lambda x, i, a, k: x != k["k"],
    "ends_in": lambda x, i, a, k: str(x)[-1] == str(k["k"]),
    "tens_digit": lambda x, i, a, k: f"{x:02}"[-2] == str(k["k"]),
    "last_digit_above": lambda x, i, a, k: int(str(x)[-1]) > k["k"],
    "one_digit": lambda x, i, a, k: len(str(x)) == 1,
    "two_digit": lambda x, i, a, k: len(str(x)) == 2,
    "three_digit": lambda x, i, a, k: len(str(x)) == 3,
    "square": lambda x, i, a, k: math.isqrt(x) ** 2 == x,
    "prime": lambda x, i, a, k: prime(x),
    "not_prime": lambda x, i, a, k: x > 1 and not prime(x),
    "power_of_two": lambda x, i, a, k: x in [2**e for e in range(31)],
    "bits_odd": lambda x, i, a, k: ones(x) % 2 == 1,
    "bits_even": lambda x, i, a, k: ones(x) % 2 == 0,
    "bits_above": lambda x, i, a, k: ones(x) > k["k"],
    "bits_equal": lambda x, i, a, k: ones(x) == k["k"],
    "bit_set": lambda x, i, a, k: f"{x:032b}"[31 - k["k"]] == "1",
    "far_from_zero": lambda x, i, a, k: x > k["k"] or -x > k["k"],
    "near_zero": lambda x, i, a, k: x <= k["k"] and -x <= k["k"],
    "near_value": lambda x, i, a, k: k["k"] - k["w"] <= x <= k["k"] + k["w"],
    "divides": lambda x, i, a, k: k["k"] // x * x == k["k"],
    "digit_sum_even": lambda x, i, a, k: sum(map(int, str(x))) % 2 == 0,
    "digit_sum_odd": lambda x, i, a, k: sum(map(int, str(x))) % 2 == 1,
    "digit_sum_above": lambda x, i, a, k: sum(map(int, str(x))) > k["k"],
    "digit_sum_is": lambda x, i, a, k: sum(map(int, str(x))) == k["k"],
    "digit_sum_divisible": lambda x, i, a, k: sum(map(int, str(x))) % k["k"] == 0,
    "digits_above": lambda x, i, a, k: len(str(x)) > k["k"],
    "digits_odd": lambda x, i, a, k: len(str(x)) % 2 == 1,
    "contains_digit": lambda x, i, a, k: str(k["k"]) in str(x),
    "without_digit": lambda x, i, a, k: str(k["k"]) not in str(x),
    "palindrome": lambda x, i, a, k: palindrome(x),
    "larger_than_first": lambda x, i, a, k: x > a[0],
    "as_last": lambda x, i, a, k: x == a[-1],
    "above_position": lambda x, i, a, k: x > i,
    "even_place": lambda x, i, a, k: i in range(0, len(a), 2),
    "odd_place": lambda x, i, a, k: i in range(1, len(a), 2),
    "every_kth": lambda x, i, a, k: i in range(0, len(a), k["k"]),
    "first_half": lambda x, i, a, k: i in range(len(a))[: len(a) // 2],
    "second_half": lambda x, i, a, k: i in range(len(a))[len(a) // 2 :],
    "first_few": lambda x, i, a, k: i in range(len(a))[: k["k"]],
    "last_few": lambda x, i, a, k: i in range(len(a))[-k["k"] :],
}

# (x, place, constants) → number
VALUES = {
    "square": lambda x, i, k: x**2,
    "cube": lambda x, i, k: x**3,
    "absolute": lambda x, i, k: max(x, -x),
    "doubled": lambda x, i, k: x + x,
    "times": lambda x, i, k: k["k"] * x,
    "plus": lambda x, i, k: k["k"] + x,
    "minus": lambda x, i, k: -k["k"] + x,
    "taken_from": lambda x, i, k: -x + k["k"],
    "half": lambda x, i, k: x // 2,
    "quotient": lambda x, i, k: x // k["k"],
    "rounded_down": lambda x, i, k: max(y for y in range(0, x + 1, k["k"])),
    "remainder": lambda x, i, k: x % k["k"],
    "last_digit": lambda x, i, k: int(str(x)[-1]),
    "tens_digit": lambda x, i, k: int(f"{x:02}"[-2]),
    "distance": lambda x, i, k: max(x - k["k"], k["k"] - x),
    "capped": lambda x, i, k: x if x < k["k"] else k["k"],
    "floored": lambda x, i, k: x if x > k["k"] else k["k"],
    "bit_count": lambda x, i, k: ones(x),
    "digit_sum": lambda x, i, k: sum(map(int, str(x))),
    "digit_count": lambda x, i, k: len(str(x)),
    "digit_times": lambda x, i, k: str(x).count(str(k["k"])),
    "digits_over": lambda x, i, k: sum(int(d) > k["k"] for d in str(x)),
    "odd_digits": lambda x, i, k: sum(d in "13579" for d in str(x)),
    "even_digits": lambda x, i, k: sum(d in "02468" for d in str(x)),
    "digit_product": lambda x, i, k: math.prod(map(int, str(x))),
    "reversed": lambda x, i, k: int(str(x)[::-1]),
    "largest_digit": lambda x, i, k: max(map(int, str(x))),
    "smallest_digit": lambda x, i, k: min(map(int, str(x))),
    "bit_length": lambda x, i, k: len(f"{x:b}"),
    "divisors": lambda x, i, k: sum(x % d == 0 for d in range(1, x + 1)),
    "times_position": lambda x, i, k: i * x,
    "times_place": lambda x, i, k: (1 + i) * x,
    "plus_position": lambda x, i, k: i + x,
    "triangle": lambda x, i, k: sum(range(x + 1)),
}

# (x, y, constants) → true or false
RELATIONS = {
    "less": lambda x, y, k: x < y,
    "greater": lambda x, y, k: y < x,
    "less_equal": lambda x, y, k: not y < x,
    "equal": lambda x, y, k: x == y,
    "unequal": lambda x, y, k: x != y,
    "sum_is": lambda x, y, k: k["k"] - x == y,
    "sum_above": lambda x, y, k: x + y > k["k"],
    "sum_below": lambda x, y, k: x + y < k["k"],
    "sum_even": lambda x, y, k: x % 2 == y % 2,
    "sum_odd": lambda x, y, k: x % 2 != y % 2,
    "sum_divisible": lambda x, y, k: (x + y) % k["k"] == 0,
    "product_above": lambda x, y, k: x * y > k["k"],
    "product_below": lambda x, y, k: x * y < k["k"],
    "product_negative": lambda x, y, k: x < 0 < y or y < 0 < x,
    "apart_above": lambda x, y, k: max(x, y) - min(x, y) > k["k"],
    "apart_at_most": lambda x, y, k: max(x, y) - min(x, y) <= k["k"],
    "apart_is": lambda x, y, k: max(x, y) - min(x, y) == k["k"],
    "rise_above": lambda x, y, k: y > x + k["k"],
    "both_odd": lambda x, y, k: x % 2 == y % 2 == 1,
    "both_even": lambda x, y, k: x % 2 == y % 2 == 0,
    "both_above": lambda x, y, k: min(x, y) > k["k"],
    "same_last_digit": lambda x, y, k: str(x)[-1] == str(y)[-1],
    "same_remainder": lambda x, y, k: (x - y) % k["k"] == 0,
    "divides": lambda x, y, k: y // x * x == y,
    "double": lambda x, y, k: y == x + x,
    "more_bits": lambda x, y, k: ones(y) > ones(x),
}

# (x, y, constants) → number
COMBINATIONS = {
    "sum": lambda x, y, k: x + y,
    "product": lambda x, y, k: x * y,
    "distance": lambda x, y, k: max(x, y) - min(x, y),
    "forward": lambda x, y, k: y - x,
    "backward": lambda x, y, k: x - y,
    "larger": lambda x, y, k: sorted((x, y))[1],
    "smaller": lambda x, y, k: sorted((x, y))[0],
    "mean": lambda x, y, k: (x + y) // 2,
    "squared_distance": lambda x, y, k: (x - y) ** 2,
    "mixed": lambda x, y, k: (x | y) - (x & y),
    "weighted": lambda x, y, k: x + y * k["k"],
}

# (x, place, constants) → class
BINS = {
    "last_digit": lambda x, i, k: int(str(x)[-1]),
    "remainder": lambda x, i, k: x % k["k"],
    "parity": lambda x, i, k: x % 2,
    "decade": lambda x, i, k: int(f"{x:02}"[0]),
    "bands": lambda x, i, k: x // k["k"],
    "tens_digit": lambda x, i, k: int(f"{x:02}"[-2]),
    "length": lambda x, i, k: len(str(x)) - 1,
    "digit_sum": lambda x, i, k: sum(map(int, str(x))) % 10,
    "digit_sum_remainder": lambda x, i, k: sum(map(int, str(x))) % k["k"],
    "largest_digit": lambda x, i, k: int(max(str(x))),
    "first_digit": lambda x, i, k: int(str(x)[0]),
    "bit_count": lambda x, i, k: ones(x),
    "sign": lambda x, i, k: 0 if x < 0 else 2 if x else 1,
    "position": lambda x, i, k: i % k["k"],
    "value": lambda x, i, k: x,
    "die": lambda x, i, k: x - 1,
}
SIZES = {
    "parity": 2, "length": 6, "bit_count": 16, "sign": 3, "die": 6, "remainder": None,
    "digit_sum_remainder": None, "position": None,
}  # fmt: skip

DIGITS = {
    "parity": (2, lambda d: d % 2),
    "low_high": (2, lambda d: int(d > 4)),
    "thirds": (3, lambda d: d % 3),
    "fourths": (4, lambda d: d % 4),
    "twos": (5, lambda d: d // 2),
    "threes": (4, lambda d: d // 3),
}


class Case:
    """A task with its data. An empty slot lets everything through as it is."""

    def __init__(self, lesson, inputs):
        self.filled, self.consts = lesson.filled, lesson.consts(inputs)
        self.a, self.b = inputs.get("a", []), inputs.get("b", [])
        self.places = list(enumerate(self.a))

    def __getattr__(self, name):
        """A constant of the task itself."""
        try:
            return self.consts["", name]
        except KeyError:
            raise AttributeError(name) from None

    def _parts(self, slot):
        chosen = self.filled.chosen.get(slot)
        for number, part in enumerate(chosen.parts if chosen else (), 1):
            own = {name: self.consts[slot, name * number] for name in part.consts}
            yield part.name, own

    def test(self, x, i=0, slot="c"):
        results = [CONDITIONS[name](x, i, self.a, k) for name, k in self._parts(slot)]
        joined = self.filled.chosen[slot].joined if results else ""
        return any(results) if joined == "or" else all(results)

    def value(self, x, i=0):
        return next((VALUES[name](x, i, k) for name, k in self._parts("m")), x)

    def related(self, x, y):
        return all(RELATIONS[name](x, y, k) for name, k in self._parts("r"))

    def combined(self, x, y):
        return next(COMBINATIONS[name](x, y, k) for name, k in self._parts("v"))

    def bin(self, x, i=0):
        return next(BINS[name](x, i, k) for name, k in self._parts("b"))

    @property
    def size(self):
        name, k = next(self._parts("b"))
        return SIZES.get(name, 10) or k["k"]

    def digit_class(self, numbers):
        """Counts of digits by class."""
        ((name, _k),) = self._parts("d")
        size, which = DIGITS[name]
        found = Counter(which(d) for x in numbers for d in digits(x))
        return [found[c] for c in range(size)]

    @property
    def kept(self):
        """Places and numbers that the condition lets through."""
        return [(i, x) for i, x in self.places if self.test(x, i)]

    @property
    def values(self):
        """What is made of the numbers that the condition lets through."""
        return [self.value(x, i) for i, x in self.kept]

    @property
    def pairs(self):
        return list(itertools.combinations(self.a, 2))

    def flags(self):
        return [self.test(x, i) for i, x in self.places]


def expected(lesson: Any, inputs: Mapping[str, Any]) -> list[int]:
    """What the program of a lesson must give for these inputs."""
    found = TASKS[lesson.filled.pattern.name](Case(lesson, inputs))
    return list(map(int, found)) if isinstance(found, (list, tuple)) else [int(found)]
