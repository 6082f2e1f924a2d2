"""The generated pages in docs/ are current."""

from __future__ import annotations

from pathlib import Path

import pytest

from vgpu.reference import pages

DOCS = Path(__file__).parents[2] / "docs"
PAGES = pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_generated_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], (
        f"docs/{name} is stale: run python -m vgpu.reference"
    )
