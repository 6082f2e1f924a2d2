"""The input: lines, history, pastes, completion."""

from __future__ import annotations

import pytest
from textual import events

from assistant.app.history import History
from assistant.app.pick_screen import PickScreen

from .conftest import ask, screen_text, settled, until
from .test_chat import run

KERNEL = """// run: --in a=1,2,3 --out b=3 --block 3
__global__ void twice(const int *a, int *b) {
    b[threadIdx.x] = a[threadIdx.x] + a[threadIdx.x];
}
"""


async def paste(pilot, text):
    """As the terminal brackets it."""
    prompt = pilot.app.chat.prompt
    turns, before = len(pilot.app.chat.conversation.records), prompt.text
    prompt.post_message(events.Paste(text))
    records = pilot.app.chat.conversation.records
    await until(pilot, lambda: prompt.text != before or len(records) > turns)


def test_new_lines_and_sending(kept):
    async def steps(pilot):
        await pilot.press(*"say", "space", "a", "ctrl+j", "b", "shift+enter", "c")
        assert pilot.app.chat.prompt.text == "say a\nb\nc"
        await pilot.press("enter")
        await settled(pilot)
        assert kept.assistant.asked == ["say a\nb\nc"]
        assert pilot.app.chat.prompt.text == ""

    run(kept.app(), steps)


def test_nothing_is_sent_of_nothing(kept):
    async def steps(pilot):
        await pilot.press("space", "enter")
        await settled(pilot)
        assert kept.assistant.asked == []

    run(kept.app(), steps)


def test_up_and_down_go_through_what_was_asked(kept):
    async def steps(pilot):
        await ask(pilot, "say one")
        await ask(pilot, "say two")
        prompt = pilot.app.chat.prompt
        await pilot.press(*"draft")
        seen = []
        for key in ("up", "up", "up", "down", "down"):
            await pilot.press(key)
            seen.append(prompt.text)
        assert seen == ["say two", "say one", "say one", "say two", "draft"]

    run(kept.app(), steps)


def test_ctrl_r_searches_the_history(kept):
    async def steps(pilot):
        await ask(pilot, "say apples and pears")
        await ask(pilot, "say other things")
        app = pilot.app
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, PickScreen) and app.screen.focused)
        await pilot.press(*"pears")
        await until(pilot, lambda: [i.key for i in app.screen._items] == ["say apples and pears"])
        assert "apples and pears" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.chat.prompt.text == "say apples and pears")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, PickScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.focused is app.chat.prompt)

    run(kept.app(), steps)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_large_paste_is_folded_and_sent_whole(kept, end):
    text = end.join(f"line {number} 日本" for number in range(5000))

    async def steps(pilot):
        prompt = pilot.app.chat.prompt
        await pilot.press(*"sum")
        await paste(pilot, f" {text}")
        assert prompt.text == "sum[pasted 5,000 lines]"
        assert kept.assistant.asked == []
        await paste(pilot, text)
        assert prompt.text.count("[pasted 5,000 lines") == 2
        await pilot.press("enter")
        await settled(pilot)
        whole = "\n".join(f"line {number} 日本" for number in range(5000))
        assert kept.assistant.asked == [f"sum {whole}{whole}"]

    run(kept.app(), steps)


def test_a_short_paste_of_lines_is_not_sent(kept):
    async def steps(pilot):
        await paste(pilot, "say a\nb\n\x1b[31mc\x07")
        assert pilot.app.chat.prompt.text == "say a\nb\n␛[31mc␇"
        assert kept.assistant.asked == []

    run(kept.app(), steps)


def test_a_pasted_kernel_is_run(kept):
    async def steps(pilot):
        await paste(pilot, KERNEL)
        await settled(pilot)
        record = pilot.app.chat.conversation.turns[-1].record
        assert record.figures == ["b = 2, 4, 6"]
        assert "twice" in record.badge

    run(kept.app(), steps)


def test_a_kernel_without_inputs_offers_an_example(kept):
    async def steps(pilot):
        await paste(pilot, KERNEL.split("\n", 1)[1])
        await settled(pilot)
        prompt = pilot.app.chat.prompt
        assert prompt.text.startswith("--") and "--in a=" in prompt.text
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.chat.conversation.turns[-1].record.figures[0].startswith("b = 2, 4, 6")

    run(kept.app(), steps)


def test_commands_are_completed(kept):
    async def steps(pilot):
        app = pilot.app
        await pilot.press("/", "m", "o")
        await until(pilot, lambda: app.chat.completions.display)
        await until(pilot, lambda: "/mode" in screen_text(app))
        await pilot.press("tab")
        await until(pilot, lambda: app.chat.prompt.text == "/mode ")
        await until(pilot, lambda: "basic" in [c.text for c in app.chat.completions.candidates])
        await pilot.press("down", "up", "tab")
        await until(pilot, lambda: app.chat.prompt.text == "/mode basic")
        await until(pilot, lambda: not app.chat.completions.display)
        await pilot.press("ctrl+c", "/")
        await until(pilot, lambda: app.chat.completions.display)
        await pilot.press("escape")
        await until(pilot, lambda: not app.chat.completions.display)

    run(kept.app(), steps)


def test_history_of_several_apps(tmp_path):
    path = tmp_path / "history.jsonl"
    one, two = History(path), History(path)
    one.add("first\nwith lines")
    two.add("second")
    two.add("second")
    path.write_text(path.read_text() + "not json\n")
    assert History(path).entries == ["first\nwith lines", "second"]
    assert History(path).search("FIRST lines") == ["first\nwith lines"]


def test_history_that_cannot_be_written_costs_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    history = History(tmp_path / "file" / "history.jsonl")
    history.add("kept in memory")
    assert history.back("") == "kept in memory"
