"""The theme that a person chose is there the next time; where it cannot be kept, that is said."""

from __future__ import annotations

from assistant import config

from .conftest import Kept
from .test_chat import run


def test_the_choice_is_remembered(kept, tmp_path, machine):
    async def choose(pilot):
        assert pilot.app.current_theme.dark
        await pilot.press("ctrl+t")
        assert not pilot.app.current_theme.dark

    run(kept.app(), choose)
    assert config.load()["theme"] == "light"

    async def look(pilot):
        assert not pilot.app.current_theme.dark
        await pilot.press("ctrl+t")

    (tmp_path / "next").mkdir()
    later = Kept(tmp_path / "next", machine)
    run(later.app(), look)
    later.store.close()
    assert config.load()["theme"] == "dark"


def test_a_file_that_cannot_be_written_is_a_notice(kept, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(config, "user_file", lambda: tmp_path / "file" / "config.yaml")

    async def steps(pilot):
        await pilot.press("ctrl+t")
        assert not pilot.app.current_theme.dark
        assert "the theme is not kept" in [n.message[:21] for n in pilot.app._notifications]

    run(kept.app(), steps)
