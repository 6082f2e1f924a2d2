"""A case file with a field of the wrong type: one line that names file, case and field."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest

from vgpu import InputError, Program
from vgpu.verify import run_cases

CASE: Final[dict[str, Any]] = {
    "kernel": "k", "file": "k.cu", "grid": [1, 1, 1], "block": [1, 1, 1], "shared_bytes": 0,
    "args": [
        {"name": "o", "kind": "out", "type": "i32", "count": 1},
        {"name": "n", "kind": "scalar", "type": "i32", "values": [1]},
    ],
    "expect": {"o": [1]},
}  # fmt: skip
GONE: Final = object()


def never(path: Path, kernel: str) -> Program:
    raise AssertionError("nothing is compiled")


@pytest.mark.parametrize(
    ("where", "value"),
    [
        *(((n,), v) for n in ("kernel", "file", "args", "expect") for v in (None, -1, "", {})),
        *(((n,), v) for n in ("grid", "block") for v in (None, "x", -1, [], [1.5], [1] * 4)),
        *((("shared_bytes",), v) for v in (None, "x", -1, [], True)),
        *((("args", 0, n), v) for n in ("name", "kind", "type", "count") for v in (GONE, None, [])),
        *((("args", 1, "values"), v) for v in (GONE, None, "x", [], ["1"], {})),
        *((("expect", "o"), v) for v in (None, "x", [], [None])),
        (("args", 0), None),
        (("expect",), {"zz": [1]}),
    ],
)
def test_a_field_of_the_wrong_type_is_named(
    where: tuple[Any, ...], value: object, tmp_path: Path
) -> None:
    case = copy.deepcopy(CASE)
    at: Any = case
    for key in where[:-1]:
        at = at[key]
    if value is GONE:
        del at[where[-1]]
    else:
        at[where[-1]] = value
    (tmp_path / "c.json").write_text(json.dumps([CASE, case]))
    with pytest.raises(InputError, match=r"c\.json: case 1") as told:
        run_cases(tmp_path, "interpreter", never)
    names = [name for name in where if isinstance(name, str)]
    assert names[0] in str(told.value) and names[-1] in str(told.value)
    assert "\n" not in str(told.value)
