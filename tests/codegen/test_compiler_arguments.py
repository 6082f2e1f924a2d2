"""What is no source text is refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import codegen
from vgpu import InputError


@pytest.mark.parametrize("compile", [codegen.compile_source, codegen.ptx_to_program])
@pytest.mark.parametrize("text", [None, b"x", 5])
def test_what_is_no_text(compile: Callable[..., Any], text: object) -> None:
    with pytest.raises(InputError, match="text: expected text, got (nothing|bytes|int)$"):
        compile(text)
    with pytest.raises(InputError, match="kernel: expected text, got int"):
        compile("", kernel=5)
