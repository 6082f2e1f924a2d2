"""The generated pages in docs/ are current."""

from __future__ import annotations

from pathlib import Path

import pytest

from vgpu.network import machine_summary
from vgpu.reference import pages

DOCS = Path(__file__).parents[2] / "docs"
PAGES = pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_generated_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], (
        f"docs/{name} is stale: run python -m vgpu.reference"
    )


def test_the_readme_tells_the_machine_as_it_is() -> None:
    m = machine_summary()
    figures = (
        f"{m['layers']} layers, hidden {m['hidden']:,}, {m['neurons']:,} neurons, "
        f"{m['nonzeros']:,} non-zero weights"
    )
    assert figures in (DOCS.parent / "README.md").read_text(encoding="utf-8")
