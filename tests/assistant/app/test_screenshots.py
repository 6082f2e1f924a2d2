"""The script that takes the README's pictures runs through."""

from __future__ import annotations

import asyncio

from assistant.app import screenshots


def test_every_picture_is_taken(kept, tmp_path):
    asyncio.run(screenshots.take(tmp_path, openers=kept.make_opener))
    for name in screenshots.PICTURES:
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")
    assert "computed" in (tmp_path / "chat.svg").read_text()
    assert "PTX" in (tmp_path / "kernel.svg").read_text()
