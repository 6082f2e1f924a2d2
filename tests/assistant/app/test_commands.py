"""Every `/` command, every key of the screen and the palette."""

from __future__ import annotations

import pytest
from textual.command import CommandList, CommandPalette

from assistant.app.pick_screen import PickScreen
from assistant.slash import COMMANDS

from .conftest import ask, screen_text, settled, until
from .test_chat import last, run


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("/help", "/kernels"),
        ("/help mode", "which mode answers"),
        ("/kernels dot", "dot"),
        ("/host", "smollm2"),
        ("/list", "say words"),
        ("/search words", "say words"),
        ("/mode", "mode basic"),
        ("/rename A better title", "A better title"),
        ("/save Another", "Another"),
    ],
)
def test_commands_that_show_something(kept, typed, shown):
    async def steps(pilot):
        await ask(pilot, "say words")
        await ask(pilot, typed)
        assert shown.lower() in last(pilot).record.shown.lower()

    run(kept.app(), steps)


def test_commands_that_change_the_conversation(kept):
    async def steps(pilot):
        app = pilot.app
        await ask(pilot, "say words")
        first = kept.session.conversation.id
        await ask(pilot, "/new")
        assert app.chat.conversation.turns == []
        await ask(pilot, "say others")
        await ask(pilot, f"/load {first}")
        assert last(pilot).record.text == "words"
        await ask(pilot, f"/delete {first}")
        await until(pilot, lambda: app.chat.conversation.turns == [])
        assert [c.title for c in kept.store.conversations()] == ["say others"]

    run(kept.app(), steps)


def test_export_trace_copy_and_run(kept, tmp_path):
    async def steps(pilot):
        await ask(pilot, "dot product")
        await ask(pilot, f"/export {tmp_path}/talk.md")
        assert "32" in (tmp_path / "talk.md").read_text()
        await ask(pilot, f"/trace {tmp_path}/run.jsonl")
        assert (tmp_path / "run.jsonl").read_text().startswith('{"trace"')
        await ask(pilot, "/copy")
        assert "32" in pilot.app.clipboard
        (tmp_path / "k.cu").write_text("__global__ void k(int *out) { *out = threadIdx.x + 7; }")
        await ask(pilot, f"/run {tmp_path}/k.cu --out out=1")
        assert last(pilot).record.figures == ["out = 7"]

    run(kept.app(), steps)


def test_quit_leaves(kept):
    async def steps(pilot):
        pilot.app.chat.prompt.put("/quit")
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app._exit)

    run(kept.app(), steps)


def test_mode_and_host_reopen_the_assistant(kept):
    async def steps(pilot):
        await ask(pilot, "/host gemma-3-270m")
        await settled(pilot)
        assert kept.opened == 2
        assert kept.session.settings["host"] == "gemma-3-270m"

    run(kept.app(), steps)


def test_a_mistyped_command_is_told_and_stays_to_be_mended(kept):
    async def steps(pilot):
        await ask(pilot, "/kernles")
        assert any("did you mean /kernels" in n.message for n in pilot.app._notifications)
        assert pilot.app.chat.prompt.text == "/kernles"
        assert kept.assistant.asked == []

    run(kept.app(), steps)


def test_no_command_is_without_a_test():
    tested = {
        "help", "mode", "run", "kernels", "attempts", "trace", "host", "new", "list", "search",
        "load", "save", "rename", "delete", "export", "copy", "quit",
    }  # fmt: skip
    assert {command.name for command in COMMANDS} == tested


def test_help_theme_and_conversations(kept):
    async def steps(pilot):
        app = pilot.app
        await ask(pilot, "say words")
        await pilot.press("f1")
        await until(pilot, lambda: "Ctrl-J" in screen_text(app))
        assert "Keys and commands" in screen_text(app)
        await pilot.press("down", "up", "escape")
        await until(pilot, lambda: app.screen is app.chat)
        dark = app.current_theme.dark
        await pilot.press("ctrl+t")
        assert app.current_theme.dark is not dark
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.chat.conversation.turns == [])
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, PickScreen) and app.screen.focused)
        await pilot.press(*"words")
        await until(pilot, lambda: [i.about for i in app.screen._items] == ["words"])
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(app.chat.conversation.turns) == 1)
        assert last(pilot).record.text == "words"
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, PickScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)

    run(kept.app(), steps)


def highlighted(listed) -> str:
    option = listed.highlighted_option
    return "" if option is None else str(option.prompt)


def test_the_palette_lists_what_can_be_done(kept):
    async def steps(pilot):
        titles = {command.title for command in pilot.app.get_system_commands(pilot.app.screen)}
        assert {"Help", "Machine panel", "Kernels", "Conversations", "Stop", "/new"} <= titles
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(pilot.app.screen, CommandPalette))
        await pilot.press(*"machine panel")
        listed = pilot.app.screen.query_one(CommandList)
        await until(pilot, lambda: highlighted(listed).startswith("Machine panel"))
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.chat.machine.display)

    run(kept.app(), steps, size=(80, 24))


def test_notices_of_the_store_are_told(kept, tmp_path):
    from assistant.app.app import AssistantApp
    from assistant.conversations import open_store
    from assistant.slash import Session

    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"not a database" * 100)
    store = open_store(damaged)
    app = AssistantApp(Session(kept.settings, store), kept.make_opener)

    async def steps(pilot):
        assert any("damaged" in n.message for n in pilot.app._notifications)
        await ask(pilot, "say fine")
        assert last(pilot).record.text == "fine"

    run(app, steps)
    store.close()


def test_a_missing_host_leaves_the_app_usable(kept):
    from assistant.app.app import AssistantApp
    from vgpu.errors import InputError

    def make(settings, traces):
        def fails(publish):
            raise InputError("host qwen: no source is within reach; see docs/hosts.md")

        return fails

    async def body():
        app = AssistantApp(kept.session, make)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: "could not open" in screen_text(app))
            assert "no source is within reach" in screen_text(app)
            await app.say("/help")
            await until(pilot, lambda: "/kernels" in screen_text(app))
            await app.say("a question")
            await until(pilot, lambda: last(pilot).record.done)
            assert "within reach" in last(pilot).record.problem

    import asyncio

    asyncio.run(body())
