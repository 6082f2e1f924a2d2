"""How results that are lists of numbers are written, and how written digits are read.

Translation between a digit and its character, nothing more: digits come from the machine, and go
to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from vgpu.errors import InputError

CHARACTERS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
PREFIXES: Final = {"hex": "0x", "bin": "0b", "digits": ""}
MOST_SHOWN: Final = 24  # characters of a wrong text in a message


def write(how: str, result: Any) -> str:
    """`how` is hex, bin, digits, time, clock or "" (plain numbers)."""
    if how == "clock":
        return _clock(result)
    if how == "time":
        return _time(result)
    if how in PREFIXES:
        return PREFIXES[how] + "".join(CHARACTERS[digit] for digit in result)
    return str(result)


def _time(result: Sequence[int]) -> str:
    """Hours, minutes and seconds as 4:05:30; their common sign in front."""
    sign = "-" if any(part < 0 for part in result) else ""
    hours, minutes, seconds = (str(part).removeprefix("-") for part in result)
    return f"{sign}{hours}:{minutes.zfill(2)}:{seconds.zfill(2)}"


def _clock(result: Sequence[int]) -> str:
    """A time of day as 04:05, with seconds where there are some."""
    hours, minutes, seconds = (str(part).zfill(2) for part in result)
    return f"{hours}:{minutes}" + (f":{seconds}" if result[2] else "")


def read_digits(text: str, where: str, prefix: str = "") -> list[int]:
    """The digits of a text like ff, zz or, with this prefix, 0xff, in whatever base.

    Raises InputError, beginning with `where`, for a character that is no digit anywhere.
    """
    plain = text.strip().lower().replace("_", "").removeprefix(prefix)
    for character in plain:
        if character not in CHARACTERS:
            shown = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."
            raise InputError(f"{where}: {character!r} in {shown!r} is not a digit")
    return [CHARACTERS.index(character) for character in plain]
