"""Reading the numbers of a message: laws over generated numbers, and the notations one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.router.numbers import read
from assistant.router.words import ATOMS, SCALES, spoken

integers = st.integers(-(10**12), 10**12)


def values(text):
    return [number.value for number in read(text).numbers]


def shape(text):
    return [(item.kind, [[n.value for n in row] for row in item.rows]) for item in read(text).items]


@given(integers, st.sampled_from(["what is {}", "{}?", "is {} prime", "costs ${} now"]))
def test_a_number_is_read_as_written(number, frame):
    plain = frame.format(abs(number))
    assert values(plain) == [abs(number)]
    assert values(frame.format(f"{abs(number):,}")) == [abs(number)]


@given(integers)
def test_a_sign_is_kept(number):
    assert values(f"add {number} to it") == [number]


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(["-", " - ", "–", " − "]))
def test_a_minus_between_numbers_is_not_a_sign(a, b, minus):
    assert values(f"{a}{minus}{b}") == [a, b]


@given(st.lists(st.integers(-999, 999), min_size=3, max_size=9), st.sampled_from([", ", " ", ","]))
def test_a_run_of_numbers_is_a_list(numbers, separator):
    small = [n % 100 for n in numbers]
    assert shape("sum of " + separator.join(map(str, small))) == [("list", [small])]


@given(
    st.lists(st.integers(-999, 999), min_size=1, max_size=9), st.sampled_from(["[]", "<>", "{}"])
)
def test_a_bracket_is_a_list_whose_commas_separate(numbers, brackets):
    text = brackets[0] + ",".join(map(str, numbers)) + brackets[1]
    assert shape(f"sort {text} now") == [("list", [numbers])]


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(-99, 99), min_size=width, max_size=width), min_size=2, max_size=4
        )
    )
)
def test_nested_brackets_are_a_matrix(rows):
    assert shape(f"take {rows} please") == [("matrix", rows)]


@given(st.integers(0, 999_999_999))
def test_number_words(number):
    assert [s.value for s in spoken(_in_words(number))] == [number]


def _in_words(number):
    """English cardinal numerals, "and" after hundred."""
    names = {value: word for word, value in ATOMS.items()}
    for word in ("million", "thousand"):
        scale = SCALES[word]
        if number >= scale:
            rest = number % scale
            return f"{_in_words(number // scale)} {word}" + (f" {_in_words(rest)}" if rest else "")
    if number >= 100:
        rest = number % 100
        return f"{names[number // 100]} hundred" + (f" and {_in_words(rest)}" if rest else "")
    if number in names:
        return names[number]
    return f"{names[number // 10 * 10]}-{names[number % 10]}"


@given(st.text(max_size=60))
def test_any_text_is_read_and_places_are_right(text):
    reading = read(text)
    for item in reading.items:
        for number in item.numbers:
            assert text[number.start : number.end] == number.text
    starts = [item.start for item in reading.items]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gcd(12, 18)", [("scalar", [[12]]), ("scalar", [[18]])]),
        ("lcm(84,126)", [("scalar", [[84]]), ("scalar", [[126]])]),
        ("dot (1,2) (3,4)", [("list", [[1, 2]]), ("list", [[3, 4]])]),
        ("[1 2; 3 4]", [("matrix", [[1, 2], [3, 4]])]),
        ("f([1,2],[3,4])", [("list", [[1, 2]]), ("list", [[3, 4]])]),
        ("(3 + 4) * 2", [("scalar", [[3]]), ("scalar", [[4]]), ("scalar", [[2]])]),
        ("3x4", [("scalar", [[3]]), ("scalar", [[4]])]),
        ("$5, $6 and $7", [("list", [[5, 6, 7]])]),
        ("0x3FA", [("scalar", [[1018]])]),
        ("the 21st of 30%", [("scalar", [[21]]), ("scalar", [[30]])]),
        ("3 million", [("scalar", [[3_000_000]])]),
        ("COVID-19, mp3, A4", []),
        ("Q1 250 and B2 146,099", [("scalar", [[250]]), ("scalar", [[146_099]])]),
        ("a dozen and half a dozen", [("scalar", [[12]]), ("scalar", [[6]])]),
        ("two hundred and three hundred", [("scalar", [[200]]), ("scalar", [[300]])]),
        ("which one is it", []),
        ("minus five times 3", [("scalar", [[-5]]), ("scalar", [[3]])]),
        ("ten minus five", [("scalar", [[10]]), ("scalar", [[5]])]),
        ("the twelfth term", [("scalar", [[12]])]),
        ("what is 12 500 plus 3", [("scalar", [[12500]]), ("scalar", [[3]])]),
        ("1 000 000 minus 1 000", [("scalar", [[1_000_000]]), ("scalar", [[1000]])]),
        ("1\u2009000", [("scalar", [[1000]])]),
        ("3, 1 000, 5", [("list", [[3, 1000, 5]])]),
        ("5 100 20", [("list", [[5, 100, 20]])]),
        ("[1 200 300]", [("list", [[1, 200, 300]])]),
        ("1e3 plus 2.5E2", [("scalar", [[1000]]), ("scalar", [[250]])]),
        ("1e-3", [("scalar", [[None]])]),
        ("1e999", [("scalar", [[None]])]),
        ("minus minus 3", [("scalar", [[None]])]),
        ("negative negative 3", [("scalar", [[None]])]),
        ("minus -3", [("scalar", [[None]])]),
        ("5 minus minus 3", [("scalar", [[5]]), ("scalar", [[None]])]),
        ("5 minus negative 3", [("scalar", [[5]]), ("scalar", [[-3]])]),
        ("5 minus -3", [("scalar", [[5]]), ("scalar", [[-3]])]),
        ("1. What is 4 plus 5", [("scalar", [[4]]), ("scalar", [[5]])]),
        ("2) add 4 and 5", [("scalar", [[4]]), ("scalar", [[5]])]),
    ],
)
def test_notations(text, expected):
    assert shape(text) == expected


def test_a_decimal_fraction_has_no_whole_value():
    (number,) = read("it costs $3.75 each").numbers
    assert number.value is None
    assert number.text == "3.75"


def test_a_number_beyond_all_range_is_not_read():
    for text in ("9" * 5000, "9" * 5000 + " million", "1e" + "9" * 5000):
        assert values(f"add {text} to 1") == [None, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a rope of 120 m, minus 66 m", [120, 66]),
        ("OK, 9 m, minus 3 m", [9, 3]),
        ("12 kg, minus 3 kg, is what?", [12, 3]),
        ("4 degrees, minus 5 degrees, 6 degrees", [4, -5, 6]),
        ("4 degrees, minus 5 degrees and 6 degrees", [4, -5, 6]),
        ("2 degrees, 4 degrees, minus 5 degrees", [2, 4, -5]),
        ("5 degrees and minus 3", [5, -3]),
    ],
)
def test_a_minus_after_a_unit_and_a_comma_is_an_operator_outside_lists(text, said):
    assert values(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("minus 3 degrees, minus 7 degrees, and 2 degrees", [-3, -7, 2]),
        ("It was minus 5 degrees, minus 8 degrees at night.", [-5, -8]),
        ("minus 5 points, minus 2 points", [-5, -2]),
        ("Temperatures: 4 degrees, minus 2 degrees, minus 9 degrees", [4, None, None]),
        ("50, minus 8, minus 5", [50, None, None]),
        ("50 euros, minus 8 euros for lunch, minus 5 euros", [50, 8, None]),
        ("100, minus 10, minus 20, minus 30", [100, None, None, None]),
        ("100 minus 10, minus 20, minus 30", [100, 10, None, None]),
        ("and minus 2?", [2]),
        ("Before: 7. and minus 2?", [7, 2]),
        ("now minus 3 kg", [3]),
        ("minus five times 3", [-5, 3]),
        ("5--3", [5, -3]),
        ("7--2", [7, -2]),
        ("5 * 3--2", [5, 3, -2]),
        ("10 -3", [10, 3]),
        ("what is 10 -3?", [10, 3]),
        ("5 - -3", [5, -3]),
        ("10-(-2)", [10, -2]),
        ("3+-4", [3, -4]),
        ("1 -2 3", [1, -2, 3]),
        ("[1 -2]", [1, -2]),
        ("(1 -2 3)", [1, -2, 3]),
        ("5, -3, 2", [5, -3, 2]),
        ("list: 4 -3 2 -1", [4, -3, 2, -1]),
        ("-3 -4", [-3, -4]),
        ("a rope of 120 m, minus 66 m", [120, 66]),
        ("4 degrees, minus 5 degrees, 6 degrees", [4, -5, 6]),
        ("2 degrees, 4 degrees, minus 5 degrees", [2, 4, -5]),
        ("list 4, minus 5, 6 and minus 7", [4, -5, 6, -7]),
        ("x = -5", [-5]),
        ("add 5 and minus 3", [5, -3]),
        ("4 degrees, minus 5 degrees and 6 degrees", [4, -5, 6]),
    ],
)
def test_a_sign_an_operator_or_not_to_be_told(text, said):
    """None: taken away one after the other, or a list of negative numbers? Nobody guesses."""
    assert values(text) == said
