"""What every prebuilt kernel has to give, from Python's big integers, fractions and dates."""

from __future__ import annotations

import datetime
import math
import statistics
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

LOWEST: Final = -(2**63)
HIGHEST: Final = 2**63 - 1
Matrix = list[list[int]]


class Undefined(Exception):
    """There is no result."""


class Beyond(Exception):
    """An argument is beyond what the kernel takes."""


def defined(condition: bool) -> None:
    if not condition:
        raise Undefined


def taken(condition: bool) -> None:
    if not condition:
        raise Beyond


def divide(a: int, b: int) -> int:
    defined(b != 0)
    return a // b


def divide_up(a: int, b: int) -> int:
    defined(b != 0)
    return -(-a // b)


def modulo(a: int, b: int) -> int:
    defined(b != 0)
    return a % b


def change(before: int, after: int) -> int:
    defined(before != 0)
    return math.floor(Fraction(after - before, abs(before)) * 100)


def compound(cents: int, rate: int, years: int) -> int:
    taken(cents >= 0 and -100 <= rate <= 1_000_000 and 0 <= years <= 1000)
    for _ in range(years):
        cents += cents * rate // 100
    return cents


def factorial(n: int) -> int:
    defined(n >= 0)
    return math.factorial(min(n, 30))  # from 21 on it does not fit


def fibonacci(n: int) -> int:
    defined(n >= 0)
    now, after = 0, 1
    for _ in range(min(n, 150)):
        now, after = after, now + after
    return now


def power(base: int, exponent: int) -> int:
    if exponent < 0:
        defined(base in (1, -1))
        return base if exponent % 2 else 1
    # Beyond 70 only 0, 1 and -1 have a result that fits; keep the parity.
    return base ** min(exponent, 70 + exponent % 2)


def power_modulo(base: int, exponent: int, modulus: int) -> int:
    defined(exponent >= 0 and modulus >= 1)
    return pow(base, exponent, modulus)


def root(n: int) -> int:
    defined(n >= 0)
    return math.isqrt(n)


def choices(n: int, k: int) -> int:
    defined(n >= 0 and k >= 0)
    return 2**64 if 70 < k < n - 70 else math.comb(n, k)


def arrangements(n: int, k: int) -> int:
    defined(n >= 0 and k >= 0)
    return math.perm(n, min(k, 70)) if k <= n else 0


def is_prime(n: int) -> int:
    """By the least factor, or for long numbers by the strong test to the first 25 primes."""
    if n < 2**36:
        return int(n >= 2 and all(n % d for d in range(2, math.isqrt(n) + 1)))
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (p for p in range(2, 100) if is_prime(p)):
        x = pow(base, odd, n)
        if x != 1 and all(pow(x, 1 << i, n) != n - 1 for i in range(twos)):
            return 0
    return 1


def next_prime(n: int) -> int:
    n = max(n + 1, 2)
    while not is_prime(n):
        n += 1
    return n


def primes_below(n: int, most: int = 10_000) -> list[int]:
    taken(n <= most)
    standing = bytearray([1]) * max(n, 2)
    standing[:2] = b"\0\0"
    for d in range(2, math.isqrt(max(n, 0)) + 1):
        standing[d * d :: d] = bytes(len(standing[d * d :: d]))
    return [i for i in range(2, n) if standing[i]]


def digits(n: int, base: int) -> list[int]:
    taken(n >= 0 and 2 <= base <= 36)
    found = [n % base]
    while n >= base:
        n //= base
        found.insert(0, n % base)
    return found


def from_digits(given: Sequence[int] | str, base: int) -> int:
    taken(2 <= base <= 36)
    if isinstance(given, str):
        return int(given, base)
    defined(len(given) > 0 and all(0 <= digit < base for digit in given))
    number = 0
    for digit in given:
        number = number * base + digit
    return number


def ones(n: int) -> int:
    taken(n >= 0)
    return n.bit_count()


def of_some(oracle: Callable[[Sequence[int]], int]) -> Callable[[Sequence[int]], int]:
    """An oracle for lists that are not empty."""

    def of_list(a: Sequence[int]) -> int:
        defined(len(a) > 0)
        return oracle(a)

    return of_list


def variance(a: Sequence[int]) -> int:
    defined(len(a) > 0)
    centre = sum(a) // len(a)
    taken(sum((x - centre) ** 2 for x in a) < 2**64)
    return math.floor(statistics.pvariance(map(Fraction, a)))


def middle(a: Sequence[int]) -> int:
    return (sorted(a)[(len(a) - 1) // 2] + sorted(a)[len(a) // 2]) // 2


def matrix_product(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return [[sum(map(int.__mul__, row, column)) for column in columns] for row in a]


def determinant(a: Matrix) -> int:
    """By elimination in fractions. Beyond when an element of Bareiss's way does not fit."""
    rows = [[Fraction(x) for x in row] for row in a]
    result = pivots = Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            result = -result
        result *= rows[k][k]
        pivots *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
        # An element times the pivots so far is a minor; at k + 2 == n it is the determinant.
        minors = [x * pivots for row in rows[k + 1 :] for x in row[k + 1 :]]
        if k + 2 < len(rows):
            taken(all(LOWEST <= m <= HIGHEST for m in minors))
    return int(result)


def days_between(*parts: int) -> int:
    try:
        first, second = datetime.date(*parts[:3]), datetime.date(*parts[3:])
    except (ValueError, OverflowError):
        raise Undefined from None
    return (second - first).days


def times(sign: int) -> Callable[..., list[int]]:
    """The sum or the difference of two times, in hours, minutes and seconds."""

    def combined(h1: int, m1: int, s1: int, h2: int, m2: int, s2: int) -> list[int]:
        seconds = 3600 * h1 + 60 * m1 + s1 + sign * (3600 * h2 + 60 * m2 + s2)
        parts = [abs(seconds) // 3600, abs(seconds) // 60 % 60, abs(seconds) % 60]
        return parts if seconds >= 0 else [-part for part in parts]

    return combined


def clock(sign: int) -> Callable[..., list[int]]:
    """The time of day so many minutes later or earlier."""

    def turned(h: int, m: int, s: int, n: int) -> list[int]:
        try:
            start = datetime.datetime(2000, 1, 2, h, m, s)
        except (ValueError, OverflowError):
            raise Undefined from None
        end = start + datetime.timedelta(minutes=sign * n % (24 * 60))
        return [end.hour, end.minute, end.second]

    return turned


ORACLES: Final[dict[str, Callable[..., Any]]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": divide,
    "divup": divide_up,
    "mod": modulo,
    "percent": lambda p, n: p * n // 100,
    "change": change,
    "compound": compound,
    "gcd": math.gcd,
    "lcm": math.lcm,
    "factorial": factorial,
    "fibonacci": fibonacci,
    "power": power,
    "modpow": power_modulo,
    "isqrt": root,
    "ncr": choices,
    "npr": arrangements,
    "isprime": is_prime,
    "nextprime": next_prime,
    "countprimes": lambda n: len(primes_below(n, 1_000_000)),
    "primesbelow": primes_below,
    "digitsum": lambda n: sum(map(int, str(abs(n)))),
    "popcount": ones,
    "tohex": lambda n: digits(n, 16),
    "tobin": lambda n: digits(n, 2),
    "tobase": digits,
    "fromhex": lambda d: from_digits(d, 16),
    "frombin": lambda d: from_digits(d, 2),
    "frombase": from_digits,
    "sum": sum,
    "product": math.prod,
    "count": len,
    "mean": of_some(lambda a: sum(a) // len(a)),
    "median": of_some(middle),
    "mode": of_some(lambda a: min(statistics.multimode(a))),
    "min": of_some(min),
    "max": of_some(max),
    "range": of_some(lambda a: max(a) - min(a)),
    "variance": variance,
    "sumsq": lambda a: sum(x * x for x in a),
    "sort": sorted,
    "sortdesc": lambda a: sorted(a, reverse=True),
    "dot": lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)),
    "matmul": matrix_product,
    "det": determinant,
    "datediff": days_between,
    "addtime": times(1),
    "later": clock(1),
    "earlier": clock(-1),
    "subtime": times(-1),
}
