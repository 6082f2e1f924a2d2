"""Answers: streamed, marked, copied, stopped; what is untrusted stays text."""

from __future__ import annotations

import asyncio

import pytest
from textual.widgets import Static

from assistant.app.figures import MARK

from .conftest import ask, open_run, screen_text, settled, told, until


def run(app, steps, size=(100, 40)):
    async def body():
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            await steps(pilot)

    asyncio.run(body())


def last(pilot):
    return pilot.app.chat.conversation.turns[-1]


def test_a_figure_is_marked_and_its_badge_says_where_it_comes_from(kept):
    async def steps(pilot):
        await ask(pilot, "What is the dot product of [1, 2, 3] and [4, 5, 6]?")
        text = screen_text(pilot.app)
        assert f"{MARK} 32" in text
        record = last(pilot).record
        assert record.computed is False or "computed" in record.badge
        for part in ("basic", "dot([1, 2, 3], [4, 5, 6])", "43 passes", "0.20 s"):
            assert part in record.badge
        assert record.badge.endswith("computed in the network")

    run(kept.app(), steps)


def test_numbers_of_the_host_are_not_marked(kept):
    async def steps(pilot):
        await ask(pilot, "say the answer is **42**, about 3.5 of them")
        assert "42" in screen_text(pilot.app)
        assert MARK not in screen_text(pilot.app)
        assert last(pilot).record.badge.endswith("not computed")

    run(kept.app(), steps)


def test_typing_goes_on_while_an_answer_streams(kept):
    async def steps(pilot):
        app = pilot.app
        app.chat.prompt.put("slow one two three")
        await pilot.press("enter")
        await until(pilot, lambda: "one" in last(pilot).record.text)
        await pilot.press(*"the next", "space", *"message")
        assert app.chat.prompt.text == "the next message"
        kept.assistant.release.set()
        await settled(pilot)
        assert app.chat.prompt.text == "the next message"
        assert last(pilot).record.text.split() == ["one", "two", "three"]

    run(kept.app(), steps)


def test_questions_asked_meanwhile_wait_their_turn(kept):
    async def steps(pilot):
        for question in ("slow one two", "say second", "say third"):
            pilot.app.chat.prompt.put(question)
            await pilot.press("enter")
        kept.assistant.release.set()
        await settled(pilot)
        assert kept.assistant.asked == ["slow one two", "say second", "say third"]
        assert [t.record.text for t in pilot.app.chat.conversation.turns][1:] == ["second", "third"]

    run(kept.app(), steps)


def test_ctrl_c_stops_the_run_and_keeps_the_session(kept):
    async def steps(pilot):
        pilot.app.chat.prompt.put("long run")
        await pilot.press("enter")
        await until(pilot, lambda: kept.assistant.asked == ["long run"])
        await pilot.press("ctrl+c")
        await settled(pilot)
        assert last(pilot).record.problem == "stopped"
        await ask(pilot, "say again")
        assert last(pilot).record.text == "again"

    run(kept.app(), steps)


def test_ctrl_c_with_nothing_to_stop_clears_the_line_and_says_how_to_leave(kept):
    async def steps(pilot):
        await pilot.press(*"abc", "ctrl+c")
        assert pilot.app.chat.prompt.text == ""
        await pilot.press("ctrl+c")
        await until(pilot, lambda: told(pilot.app, "Ctrl-Q"))

    run(kept.app(), steps)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("fail missing ;", "kernel.cu:3: missing ;"),
        ("input no numbers in it", "no numbers in it"),
        ("crash oh", "unexpected: RuntimeError: oh"),
    ],
)
def test_failures_are_told_in_the_turn(kept, question, told):
    async def steps(pilot):
        await ask(pilot, question)
        assert told in last(pilot).record.problem
        assert told.split()[0] in screen_text(pilot.app)
        await ask(pilot, "say fine")
        assert last(pilot).record.text == "fine"

    run(kept.app(), steps)


HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \x1bPq\x1b\\ [bold red]markup[/] [@click=app.quit]"
    "x[/] <script>alert(1)</script> \u202egnirts [link](javascript:alert)"
)


def test_nothing_untrusted_reaches_the_terminal(kept, machine):
    async def steps(pilot):
        await ask(pilot, f"say {HOSTILE}")
        text = screen_text(pilot.app)
        for sign in ("\x1b", "\x9b", "\x07", "\u202e"):
            assert sign not in text
        assert "[bold red]markup[/]" in text
        assert "alert(1)" in text
        for strip in pilot.app.screen._compositor.render_strips():
            for segment in strip:
                assert segment.style is None or segment.style.link is None

    run(kept.app(), steps, size=(120, 40))


def test_copying_an_answer_and_its_blocks(kept):
    async def steps(pilot):
        app = pilot.app
        await ask(pilot, "say text\n\n```python\nprint(1)\n```\n\nand\n\n```\nx = 2\n```\n")
        await pilot.press("alt+up")
        assert app.focused is last(pilot)
        await pilot.press("c")
        assert "print(1)" in app.clipboard and app.clipboard.startswith("text")
        await pilot.press("b")
        assert app.clipboard.strip() == "print(1)"
        await pilot.press("b")
        assert app.clipboard.strip() == "x = 2"
        await pilot.press("escape")
        assert app.focused is app.chat.prompt

    run(kept.app(), steps)


def test_an_answer_without_blocks_says_so(kept):
    async def steps(pilot):
        await ask(pilot, "say nothing here")
        await pilot.press("alt+up", "b")
        await until(pilot, lambda: told(pilot.app, "no block"))

    run(kept.app(), steps)


def test_asking_again(kept):
    async def steps(pilot):
        await ask(pilot, "say this")
        await pilot.press("alt+up", "e")
        assert pilot.app.chat.prompt.text == "say this"

    run(kept.app(), steps)


def test_letters_are_typed_wherever_the_focus_is(kept):
    async def steps(pilot):
        await ask(pilot, "say this")
        await pilot.press("alt+up", "z", "1")
        assert pilot.app.chat.prompt.text == "z1"

    run(kept.app(), steps)


def test_the_view_stays_where_one_reads(kept):
    async def steps(pilot):
        app = pilot.app
        for number in range(8):
            await ask(pilot, "say " + f"line {number}\n\n" * 6)
        conversation = app.chat.conversation
        assert conversation.at_bottom
        reading = conversation.scroll_y - 2 * conversation.scrollable_content_region.height
        await pilot.press("pageup", "pageup")
        await until(pilot, lambda: conversation.scroll_y == reading)
        assert reading < conversation.max_scroll_y
        app.talk.add(
            last(pilot).record.key, lambda a, stop: a.stream("say " + "more\n\n" * 30, stop)
        )
        await settled(pilot)
        assert conversation.scroll_y == reading
        await pilot.press("ctrl+end")
        await until(pilot, lambda: conversation.at_bottom)

    run(kept.app(), steps, size=(80, 24))


def test_wide_characters_keep_their_columns(kept):
    async def steps(pilot):
        await ask(pilot, "say | 日本語 | 👩\u200d👩\u200d👧 | é\u0301 |")
        from rich.cells import cell_len

        for strip in pilot.app.screen._compositor.render_strips():
            assert cell_len(strip.text) == 80

    run(kept.app(), steps, size=(80, 24))


def test_long_conversations_draw_only_the_newest_turns(kept):
    async def steps(pilot):
        from assistant.app.conversation import MOST_DRAWN

        app = pilot.app
        for number in range(MOST_DRAWN + 5):
            await app.say(f"say {number}")
        await settled(pilot)
        conversation = app.chat.conversation
        assert len(conversation.records) == MOST_DRAWN + 5
        assert len(conversation.turns) <= MOST_DRAWN + 1
        assert "earlier" in str(app.screen.query_one("#earlier", Static).render())
        await pilot.press("ctrl+home")
        await until(pilot, lambda: conversation.turns[0].record.text == "0")

    run(kept.app(), steps)


def test_what_was_said_is_kept_and_resumed(kept):
    async def first(pilot):
        await ask(pilot, "What is the dot product?")
        await ask(pilot, "say words")

    async def then(pilot):
        turns = pilot.app.chat.conversation.turns
        assert [t.record.question for t in turns] == ["What is the dot product?", "say words"]
        assert f"{MARK} 32" in screen_text(pilot.app)
        await pilot.press("alt+up", "alt+up")
        await open_run(pilot)
        assert pilot.app.chat.machine.recording.passes == 43

    run(kept.app(), first)
    run(kept.app(resume=kept.store.latest()), then)


def test_lines_of_the_programs_own_stay_lines_when_they_are_resumed(kept):
    kernel = "__global__ void add(int *a, int *b) { *a += *b; }"

    def asked(app):
        lines = [line.strip() for line in screen_text(app).splitlines()]
        return [line for line in lines if line.startswith(("a: ", "b: "))]

    async def first(pilot):
        await ask(pilot, kernel)
        assert len(asked(pilot.app)) == 2

    async def then(pilot):
        assert len(asked(pilot.app)) == 2

    run(kept.app(), first)
    run(kept.app(resume=kept.store.latest()), then)
