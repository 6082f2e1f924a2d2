"""`--in`, `--out`, `--set`: what is accepted, and what a person reads when it is not."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant import launch_args
from vgpu.errors import InputError
from vgpu.program import Param

PARAMS = (
    Param("a", 0, 4, True, "i32"),
    Param("bytes", 4, 4, True, "u8"),
    Param("out", 8, 4, True),
    Param("n", 12, 4, False, "i32"),
)


def collect(ins=(), outs=(), sets=("n=3",)):
    return launch_args.collect(PARAMS, ins, outs, sets)


def fails(*parts, **options):
    options = {"ins": ["a=1"], "outs": ["out=1", "bytes=1"], "sets": ["n=3"]} | options
    with pytest.raises(InputError) as caught:
        collect(**options)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message, message


@given(st.sampled_from(sorted(launch_args.INTEGERS)), st.integers(-(2**64), 2**65))
def test_an_integer_is_accepted_exactly_when_its_type_holds_it(kind, number):
    sign, bits = launch_args.INTEGERS[kind]
    low = -(2 ** (bits - 1)) if sign == "i" else 0
    high = 2 ** (bits - 1) - 1 if sign == "i" else 2**bits - 1
    if low <= number <= high:
        assert launch_args.value(kind, str(number), "here") == number
    else:
        with pytest.raises(InputError, match="does not fit"):
            launch_args.value(kind, str(number), "here")


@given(st.integers(0, 2**32 - 1))
def test_hexadecimal_states_the_bits(number):
    assert launch_args.value("u32", hex(number), "") == number
    assert launch_args.value("i32", hex(number), "") % 2**32 == number


@given(st.floats(width=32, allow_nan=False))
def test_f32_travels_as_ieee_bits(number):
    bits = launch_args.value("f32", repr(number), "")
    assert struct.pack("<I", bits) == struct.pack("<f", number)


def test_types_names_and_positions():
    given_ = collect(["a=1,-2,0x10", "2:i16=-5"], ["out:u32=4", "a=2"], ["4=7"])
    assert given_.arrays == {"a": ("i32", [1, -2, 16]), "bytes": ("i16", [-5])}
    assert given_.outputs == {"out": ("u32", 4), "a": ("i32", 2)}
    assert given_.scalars == {"n": 7}


def test_an_array_takes_the_type_of_its_parameter():
    assert collect(["a=1", "bytes=255"], ["out=1"]).arrays["bytes"] == ("u8", [255])


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"ins": ["a"]}, ["NAME[:TYPE]=V,V"]),
        ({"ins": ["a="]}, ["empty"]),
        ({"ins": ["a=1,,2"]}, ["expected a whole number", "nothing"]),
        ({"ins": ["a=1,x"]}, ["expected a whole number of type i32", '"x"']),
        ({"ins": ["a=1.5"]}, ["expected a whole number"]),
        ({"ins": ["a:u8=256"]}, ["256 does not fit u8 (0 to 255)"]),
        ({"ins": ["a:i9=1"]}, ['unknown type "i9"', "i8"]),
        ({"ins": ["byte=1"]}, ['no parameter "byte"', 'did you mean "bytes"']),
        ({"ins": ["9=1"]}, ["4 parameters, no number 9"]),
        ({"ins": ["n=1"]}, ['"n" is a scalar, use --set']),
        ({"ins": ["a=1", "a=2"]}, ["given twice"]),
        ({"outs": ["out=0"]}, ["at least 1"]),
        ({"outs": ["out=x"]}, ["expected a count"]),
        ({"outs": ["a=5", "out=1"]}, ["--in gives only 1"]),
        ({"outs": ["bytes=1"]}, ['missing parameter "out"', "--out out=COUNT"]),
        ({"sets": []}, ['missing parameter "n"', "--set n=V"]),
        ({"sets": ["a=1"]}, ["is an array"]),
    ],
)
def test_a_mistake_is_one_line_that_says_what_was_expected(options, parts):
    fails(*parts, **options)


@pytest.mark.parametrize("text", ["0", "-1", "x", "1,2,3,4", "", "2,,2"])
def test_wrong_dimensions(text):
    with pytest.raises(InputError, match="expected N"):
        launch_args.dimensions("--grid", text)


def test_dimensions():
    assert launch_args.dimensions("--grid", "4") == (4, 1, 1)
    assert launch_args.dimensions("--grid", "2,3,4") == (2, 3, 4)
