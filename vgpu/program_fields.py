"""The fields of a stored program, each of the right type and a size that can be.

Every function raises ValueError: the field, what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

MOST: Final = 1 << 32  # an address of the machine has at most 32 bits
_WORD: Final = re.compile("[0-9a-fA-F]{1,16}")
_NUMBERS: Final = ("data_base", "shared_base", "shared_bytes", "local_bytes", "room_word")
_NEEDED: Final = ("kernel", "code", "params", "data", "source")


def checked(
    record: dict[str, Any], param: Callable[..., Any], source: Callable[..., Any], base: int
) -> dict[str, Any]:
    """The arguments of a Program, made of its JSON. `base`: where parameters lie, in bytes."""
    for name in _NEEDED:
        if name not in record:
            raise ValueError(f"{name} is missing")
    for name in record:
        if name not in (*_NEEDED, *_NUMBERS, "stats"):
            raise ValueError(f"{name}: no field of a program")
    if not isinstance(record["kernel"], str) or not record["kernel"]:
        raise ValueError("kernel: expected a name")
    for name in _NUMBERS:
        if name in record:
            _number(name, record[name])
    result = dict(record)
    result["code"] = tuple(_word(i, word) for i, word in enumerate(_list(record, "code")))
    result["data"] = _data(record["data"])
    result["params"] = tuple(param(**_param(i, p)) for i, p in enumerate(_list(record, "params")))
    names = [p["name"] for p in record["params"]]
    if len(set(names)) < len(names):
        raise ValueError("params: two have the same name")
    result["source"] = tuple(
        None if s is None else source(**_source(i, s))
        for i, s in enumerate(_list(record, "source"))
    )
    _stats(record.get("stats", {}))
    _places(result, base)
    return result


def _list(record: dict[str, Any], name: str) -> list[Any]:
    value = record[name]
    if not isinstance(value, list):
        raise ValueError(f"{name}: expected a list")
    return value


def _number(name: str, value: object, least: int = 0) -> int:
    if type(value) is not int or not least <= value < MOST:
        raise ValueError(f"{name}: expected a number from {least} to {MOST - 1}")
    return value


def _word(index: int, word: object) -> int:
    if not isinstance(word, str) or not _WORD.fullmatch(word):
        raise ValueError(f"code[{index}]: expected at most 16 hexadecimal digits")
    return int(word, 16)


def _data(value: object) -> bytes:
    if not isinstance(value, str) or not re.fullmatch("([0-9a-fA-F]{2})*", value):
        raise ValueError("data: expected pairs of hexadecimal digits")
    return bytes.fromhex(value)


def _keys(where: str, value: object, needed: set[str], others: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or not needed <= set(value) <= needed | others:
        raise ValueError(f"{where}: expected {', '.join(sorted(needed | others))}")
    return value


def _param(index: int, value: object) -> dict[str, Any]:
    where = f"params[{index}]"
    fields = _keys(where, value, {"name", "offset", "size", "pointer"}, {"type"})
    if not isinstance(fields["name"], str) or not fields["name"]:
        raise ValueError(f"{where}.name: expected a name")
    if not isinstance(fields["pointer"], bool):
        raise ValueError(f"{where}.pointer: expected true or false")
    _number(f"{where}.offset", fields["offset"])
    _number(f"{where}.size", fields["size"], 1)
    if fields["pointer"] and fields["size"] not in (4, 8):
        raise ValueError(f"{where}.size: a pointer has 4 or 8 bytes")
    kind = fields.get("type")
    if kind is not None and (not isinstance(kind, str) or not kind):
        raise ValueError(f"{where}.type: expected a type or null")
    return fields


def _source(index: int, value: object) -> dict[str, Any]:
    where = f"source[{index}]"
    fields = _keys(where, value, {"file", "line"}, {"column", "text"})
    for name in ("file", "text"):
        if not isinstance(fields.get(name, ""), str):
            raise ValueError(f"{where}.{name}: expected text")
    for name in ("line", "column"):
        _number(f"{where}.{name}", fields.get(name, 0))
    return fields


def _stats(value: object) -> None:
    if not isinstance(value, dict):
        raise ValueError("stats: expected names with numbers")
    for name, number in value.items():
        _number(f"stats.{name}", number)


def _places(fields: dict[str, Any], base: int) -> None:
    """Data must lie where nothing else does: after the parameters, before shared memory."""
    room, shared = fields.get("room_word", 0), fields.get("shared_base", base)
    if room and not base <= room <= shared - 4:
        raise ValueError("room_word: not an address of static data")
    data, at = fields["data"], fields.get("data_base", base)
    if not data:
        return
    params_end = base + max((p.offset + p.size for p in fields["params"]), default=0)
    if at < params_end or at + len(data) > shared:
        raise ValueError("data_base: the data do not fit between parameters and shared memory")
