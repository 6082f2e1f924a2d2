"""The main screens, drawn at three sizes, against files that a person has looked at.

`SNAPSHOTS=update pytest tests/assistant/app/test_snapshots.py` draws them anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from assistant.slash import complete
from tests.assistant.scripted import QUESTION

from .conftest import ask, drawn, open_run, screen_text, until
from .test_chat import run
from .test_kernels import ATTEMPTS

FOLDER = Path(__file__).parent / "snapshots"
SIZES = [(80, 24), (120, 40), (200, 60)]


def normal(svg: str) -> str:
    """Without what differs from run to run: Rich's ids, the speed, times."""
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = re.sub(r"[\d,]+&#160;passes/s", "N&#160;passes/s", svg)
    svg = re.sub(r"\d+\.\d+(?=&#160;s\b)", "T", svg)
    # The name of the run has what room the speed leaves it.
    svg = re.sub(r"(>\d+/\d+&#160;\w+)&#160;·[^<]*", r"\1", svg)
    return re.sub(r"\d\d&#160;\w{3}&#160;\d\d:\d\d", "DATE", svg)


def compare(app, name: str) -> None:
    path, drawn = FOLDER / f"{name}.svg", normal(app.export_screenshot())
    if os.environ.get("SNAPSHOTS") == "update":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    # Lengths of the parts after the speed move with its digits: they are compared as text.
    assert texts(drawn) == texts(path.read_text(encoding="utf-8")), f"{path} differs"


def texts(svg: str) -> list[str]:
    """Each piece of text with its style, line by line; positions follow from them."""
    return re.findall(r'<text class="([^"]*)"[^>]*>([^<]*)</text>', svg)


async def still(pilot) -> None:
    """The panes have followed a run now and then: from its start they show the same each time."""
    machine = pilot.app.chat.machine
    await until(pilot, lambda: not machine.display or machine.recording.ended)
    if machine.display:
        await until(pilot, lambda: not machine.bar.live)
        for number in (0, 10):
            machine.action_seek(number)
            await at_pass(pilot, number)


async def at_pass(pilot, number: int) -> None:
    await until(pilot, lambda: pilot.app.chat.machine.number == number)
    await drawn(pilot)


@pytest.mark.parametrize("size", SIZES)
def test_screens(kept, size):
    name = "{}x{}".format(*size)

    async def steps(pilot):
        app, chat = pilot.app, pilot.app.chat
        chat.prompt.cursor_blink = False
        compare(app, f"empty-{name}")
        await ask(pilot, "What is the dot product of [1, 2, 3] and [4, 5, 6]?")
        await ask(pilot, "say **Words** of the host, such as 42:\n\n```python\nprint(6 * 7)\n```\n")
        await still(pilot)
        compare(app, f"chat-{name}")
        await pilot.press("alt+up", "alt+up")
        await open_run(pilot)
        await pilot.press("shift+right")
        await at_pass(pilot, 10)
        compare(app, f"machine-{name}")

    run(kept.app(), steps, size=size)


@pytest.mark.parametrize("size", SIZES[:2])
def test_screens_over_the_chat(kept, size):
    name = "{}x{}".format(*size)

    async def steps(pilot):
        from assistant.app.kernel_screen import KernelScreen
        from assistant.app.turn_record import TurnRecord

        app, chat = pilot.app, pilot.app.chat
        chat.prompt.cursor_blink = False
        await pilot.press("f1")
        await until(pilot, lambda: "Ctrl-J" in screen_text(app))
        await drawn(pilot)
        compare(app, f"help-{name}")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is chat)
        await pilot.press("/", "e")
        found = complete("/e", app.session.settings, app.session.store)
        await until(pilot, lambda: chat.completions.candidates == found)
        await drawn(pilot)
        compare(app, f"completion-{name}")
        await pilot.press("ctrl+c", "escape")
        record = TurnRecord("k", "Add to the first of [4, 5, 6]", done=True, attempts=ATTEMPTS)
        await chat.conversation.add(record)
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, KernelScreen))
        await pilot.press("up")
        ptx = app.screen.query_one("#ptx")
        await until(pilot, lambda: "it does not compile" in str(ptx.render()))
        await drawn(pilot)
        compare(app, f"kernels-{name}")

    run(kept.app(), steps, size=size)


@pytest.mark.parametrize("size", SIZES[:2])
def test_an_advanced_answer(kept, size):
    async def steps(pilot):
        pilot.app.chat.prompt.cursor_blink = False
        await ask(pilot, "/mode advanced")
        await ask(pilot, QUESTION)
        pilot.app.clear_notifications()
        await still(pilot)
        compare(pilot.app, "advanced-{}x{}".format(*size))

    run(kept.app(), steps, size=size)


def test_the_light_theme(kept):
    async def steps(pilot):
        pilot.app.chat.prompt.cursor_blink = False
        await ask(pilot, "What is the dot product of [1, 2, 3] and [4, 5, 6]?")
        await still(pilot)
        await pilot.press("ctrl+t")
        await until(pilot, lambda: not pilot.app.current_theme.dark)
        await drawn(pilot)
        compare(pilot.app, "light-120x40")

    run(kept.app(), steps, size=(120, 40))


def test_without_colour_everything_is_still_said(kept, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    async def steps(pilot):
        await ask(pilot, "What is the dot product of [1, 2, 3] and [4, 5, 6]?")
        await pilot.press("alt+up")
        await open_run(pilot)
        await pilot.press("shift+right")
        await at_pass(pilot, 10)
        for strip in pilot.app.screen._compositor.render_strips():
            filtered = strip.apply_filter(pilot.app._filters[0], pilot.app.background_colors[0])
            for segment in filtered:
                colour = segment.style.color if segment.style else None
                if colour is not None and colour.triplet is not None:
                    assert len(set(colour.triplet)) == 1

    run(kept.app(), steps, size=(120, 40))
