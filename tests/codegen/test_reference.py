"""docs/ptx.md is what the table of rules says now, and every rule has an example that compiles."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from codegen.errors import CompileError
from codegen.lower.examples import example
from codegen.lower.function import RULE_MODULES
from codegen.lower.reference import compiled, page
from codegen.lower.rules import RULES, WHY

DOCS: Final = Path(__file__).parents[2] / "docs" / "ptx.md"


def test_the_page_is_current() -> None:
    assert DOCS.read_text(encoding="utf-8") == page(), "python -m codegen.lower.reference"


def test_every_rule_says_what_it_does() -> None:
    assert {rule.__module__ for rule, _ in RULES.values()} == {m.__name__ for m in RULE_MODULES}
    for (name, kind), (rule, _) in RULES.items():
        assert rule.__doc__, (name, kind)


FLOATS: Final = ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64")


@pytest.mark.parametrize("name", sorted(WHY))
def test_what_is_rejected_is_rejected_with_its_reason(name: str) -> None:
    text = f"{name}.s32 %r0, %r1;"
    if name in (*FLOATS, "128"):
        text = f"add.{'b128' if name == '128' else name} %r0, %r1, %r2;"
    with pytest.raises(CompileError) as caught:
        compiled(text)
    assert str(caught.value).endswith(WHY[name])


def test_an_example_is_one_of_its_rule() -> None:
    assert example("add", "16") == "add.u16 %h0, %h1, %h2;"
    assert example("red", "128") is None
