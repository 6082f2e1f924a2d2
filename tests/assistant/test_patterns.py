"""Call patterns: which numbers go where, and when a pattern does not fit the message."""

import pytest

from assistant.router.numbers import read
from assistant.router.patterns import Pattern, Unfit


def fill(pattern, text):
    return [argument.value for argument in Pattern.parse(pattern).fill(read(text))]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("sub(n1, n0)", "subtract 3 from 10", [10, 3]),
        ("sub(n0, n1)", "10 minus 3", [10, 3]),
        ("sum(all)", "add 1, 2, 3 and 4", [[1, 2, 3, 4]]),
        ("sum(all)", "1 + 2 + 3", [[1, 2, 3]]),
        ("sum(all)", "sum of these 3 numbers: 5, 6, 7", [[5, 6, 7]]),
        ("sum(all)", "sum of [5]", [[5]]),
        ("sum(all)", "sum 100,200,300", [[100, 200, 300]]),
        ("dot(l0, l1)", "[1, 2] dot [3, 4]", [[1, 2], [3, 4]]),
        ("dot(l0, l1)", "the two vectors [1, 2] and [3, 4]", [[1, 2], [3, 4]]),
        ("matmul(m0, m1)", "2 by 2: [[1,2],[3,4]] [[5,6],[7,8]]",
         [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]),
        ("power(n0, =2)", "9 squared", [9, 2]),
        ("gcd(n0, n1)", "gcd of (12, 18)", [12, 18]),
        ("isprime(n0)", "does 91 have divisors other than 1 and itself", [91]),
        ("div(n1, n0)", "one pen costs 5 cents, 40 cents buy how many", [40, 5]),
    ],
)  # fmt: skip
def test_filled(pattern, text, expected):
    assert fill(pattern, text) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "reason"),
    [
        ("add(n0, n1)", "add 3", "needs 2 numbers"),
        ("add(n0, n1)", "3 plus 4 times 5", 'the number "5" would be left unused'),
        ("isprime(n0)", "is 7 or 9 prime", "left unused"),
        ("sum(all)", "sum of 5", "needs a list"),
        ("mul(n0, n1)", "8 at 3.75", "3.75 is not a whole number"),
        ("matmul(m0, m1)", "[[1,2],[3]] [[1,2],[3,4]]", "differ in length"),
        ("dot(l0, l1)", "[1,2] and 3", "needs 2 lists"),
    ],
)
def test_unfit(pattern, text, reason):
    with pytest.raises(Unfit, match=reason):
        fill(pattern, text)


def test_arguments_know_their_places():
    text = "subtract 3 from 10"
    ten, three = Pattern.parse("sub(n1, n0)").fill(read(text))
    assert [text[a:b] for a, b in (*ten.spans, *three.spans)] == ["10", "3"]


@pytest.mark.parametrize("text", ["add(x0)", "add(n0", "", "add n0"])
def test_not_a_pattern(text):
    with pytest.raises(ValueError, match="not a call pattern"):
        Pattern.parse(text)
