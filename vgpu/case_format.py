"""The format of case files: every field of a case is of its type before anything is run."""

from __future__ import annotations

from typing import Any, Final

from vgpu.errors import InputError
from vgpu.launch import TYPES

KINDS: Final = ("in", "out", "inout", "scalar")
_NEEDED: Final = ("kernel", "file", "grid", "block", "shared_bytes", "args", "expect")


def check(case: object, where: str) -> dict[str, Any]:
    """The case; `where` names the file and the case. Raises InputError that names the field."""
    if not isinstance(case, dict):
        raise InputError(f"{where}: expected an object with {', '.join(_NEEDED)}")
    missing = [name for name in _NEEDED if name not in case]
    if missing:
        raise InputError(f"{where} has no {', '.join(missing)}")
    for name in ("kernel", "file"):
        _text(case[name], f"{where}: {name}")
    for name in ("grid", "block"):
        _sizes(case[name], f"{where}: {name}")
    if not _is_whole(case["shared_bytes"], 0):
        raise InputError(f"{where}: shared_bytes: expected a number of bytes, at least 0")
    if not isinstance(case["args"], list):
        raise InputError(f"{where}: args: expected a list")
    read_back = {
        arg["name"]
        for i, arg in enumerate(case["args"])
        if _argument(arg, f"{where}: args[{i}]") in ("out", "inout")
    }
    _expect(case["expect"], read_back, f"{where}: expect")
    return case


def _is_whole(value: object, least: int) -> bool:
    return type(value) is int and value >= least


def _text(value: object, where: str) -> None:
    if not isinstance(value, str) or not value or "\0" in value:
        raise InputError(f"{where}: expected a name")


def _sizes(value: object, where: str) -> None:
    sizes = value if isinstance(value, list) else [value]
    if not 1 <= len(sizes) <= 3 or not all(_is_whole(size, 1) for size in sizes):
        raise InputError(f"{where}: expected one to three sizes, each at least 1")


def _values(value: object, where: str) -> None:
    if not isinstance(value, list) or not value or not all(type(v) is int for v in value):
        raise InputError(f"{where}: expected a list of whole numbers (f32 as bit patterns)")


def _argument(arg: object, where: str) -> str:
    """The kind of a checked argument."""
    if not isinstance(arg, dict):
        raise InputError(f"{where}: expected an object with name, kind, type, values or count")
    _text(arg.get("name"), f"{where}: name")
    kind, type_ = arg.get("kind"), arg.get("type")
    if kind not in KINDS:
        raise InputError(f"{where}: kind: expected one of {', '.join(KINDS)}")
    if not isinstance(type_, str) or type_ not in TYPES:
        raise InputError(f"{where}: type: expected one of {', '.join(TYPES)}")
    if kind != "out":
        _values(arg.get("values"), f"{where}: values")
    elif not _is_whole(arg.get("count"), 1):
        raise InputError(f"{where}: count: expected a number of elements, at least 1")
    return str(kind)


def _expect(value: object, read_back: set[str], where: str) -> None:
    if not isinstance(value, dict) or not value:
        raise InputError(f"{where}: expected names of outputs with their values")
    for name, values in value.items():
        if name not in read_back:
            raise InputError(f"{where}: {name} is no out or inout argument")
        _values(values, f"{where}: {name}")
