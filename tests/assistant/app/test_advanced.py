"""Advanced mode in the app: steps as they happen, attempts, diagnostics, editing, going on."""

from __future__ import annotations

from assistant.app.code_editor import CodeEditor
from assistant.app.kernel_screen import KernelScreen
from assistant.app.turn_record import kept_turns
from tests.assistant.scripted import QUESTION, RENAMED

from .conftest import ask, open_run, screen_text, settled, until
from .test_chat import last, run

GOOD, SERIAL, BROKEN = RENAMED


async def answered(pilot):
    """/mode advanced, and the question with its answer."""
    await ask(pilot, "/mode advanced")
    await ask(pilot, QUESTION)


def test_the_mode_changes_and_host_and_machine_stay(kept):
    async def steps(pilot):
        await ask(pilot, "/mode advanced")
        assert kept.opened == 1 and kept.assistant.config["mode"] == "advanced"
        assert "advanced" in screen_text(pilot.app).splitlines()[-1]
        await ask(pilot, "/mode basic")
        await ask(pilot, "say words")
        assert last(pilot).record.text == "words" and kept.opened == 1

    run(kept.app(), steps)


def test_attempts_and_the_checked_figure_are_shown(kept):
    async def steps(pilot):
        await answered(pilot)
        text = screen_text(pilot.app)
        assert "✗ attempt 1: compile: kernel.cu:3" in text
        assert "✓ attempt 2: passed 6 checks · 25 passes · the answer's" in text
        assert "◆ 3" in text and "atomicAdd(out, 1)" in text
        record = last(pilot).record
        for part in ("advanced", "answer(a[5], n = 5, k = 20)", "3 attempts", "passes", " s · "):
            assert part in record.badge
        assert record.badge.endswith("computed in the network") and record.computed
        assert [run.attempt for run in record.runs] == [2, 3]
        assert not any(run.check or run.live for run in record.runs)
        message = kept.store.messages(kept.session.conversation.id)[-1]
        assert message.traces == ("2-answer.jsonl", "3-answer.jsonl")

    run(kept.app(), steps, size=(100, 50))


def test_steps_are_told_while_the_host_writes_and_ctrl_c_stops_it(kept):
    kept.texts[:] = [BROKEN, "wait", GOOD]

    async def steps(pilot):
        app = pilot.app
        await ask(pilot, "/mode advanced")
        app.chat.prompt.put(QUESTION)
        await pilot.press("enter")
        for part in (
            "… attempt 2: Scripted writes a kernel", "task: answer(a[5], n = 5, k = 20)",
            "✗ attempt 1: compile", "^ use of undeclared",
        ):  # fmt: skip
            await until(pilot, lambda part=part: part in screen_text(app))
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, KernelScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        await pilot.press("ctrl+c")
        await settled(pilot)
        assert last(pilot).record.problem == "stopped"
        turn = kept_turns(kept.store.messages(kept.session.conversation.id))[-1]
        assert turn.problem == "stopped" and [a["number"] for a in turn.attempts] == [1]
        await ask(pilot, "/mode basic")
        await ask(pilot, "say again")
        assert last(pilot).record.text == "again"

    run(kept.app(), steps, size=(100, 50))


def test_the_machine_panel_follows_the_checks_and_opens_the_answers_run(kept):
    seen = []

    async def steps(pilot):
        app = pilot.app
        machine = app.chat.machine
        show = machine.show_runs
        machine.show_runs = lambda runs, *more, **options: (
            seen.append([run.check for run in runs]), show(runs, *more, **options)
        )  # fmt: skip
        await answered(pilot)
        assert seen[0] == [True] and any(checks[-1] is False for checks in seen)
        assert all(sum(checks) <= 1 for checks in seen)
        await pilot.press("alt+up")
        await open_run(pilot)
        await pilot.press("shift+right")
        await until(pilot, lambda: machine.number == 10)
        assert machine.run.attempt == 2 and machine.run.program.kernel == "answer"

    run(kept.app(), steps, size=(120, 40))


def test_no_figure_is_shown_where_no_program_passed(kept):
    kept.texts[:] = [BROKEN]

    async def steps(pilot):
        await answered(pilot)
        record = last(pilot).record
        assert record.problem.startswith("I have no checked figure: 3 attempts failed")
        assert record.figures == [] and not record.computed
        text = screen_text(pilot.app)
        assert "I have no checked figure" in text and "◆" not in text
        assert record.badge.startswith("advanced · 3 attempts · ")
        assert record.badge.endswith("no checked figure")

    run(kept.app(), steps, size=(100, 50))


def test_a_program_that_no_other_confirms_gives_no_figure(kept):
    kept.texts[:] = [GOOD, BROKEN]

    async def steps(pilot):
        await answered(pilot)
        assert "I have no checked figure: only program 1 passed" in screen_text(pilot.app)
        assert "◆" not in screen_text(pilot.app)

    run(kept.app(), steps, size=(100, 50))


def test_a_kernel_is_edited_run_again_and_kept_by_name(kept):
    async def steps(pilot):
        app = pilot.app
        await answered(pilot)
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, KernelScreen))
        assert app.screen.kernel.title == "2 passed · answer"
        await pilot.press("f7")
        editor = app.screen.query_one(CodeEditor)
        editor.text = editor.text.replace("a[i] > k", "a[i] > k + 10")
        await pilot.press("f5")
        await until(pilot, lambda: app.screen is app.chat)
        await settled(pilot)
        assert last(pilot).record.figures == ["out = 2"]
        await ask(pilot, "/save above_more")
        assert "kernel kept" in last(pilot).record.shown
        await ask(pilot, "/mode basic")
        await ask(pilot, "run above_more on [15, 16, 17] with 5")
        record = last(pilot).record
        assert record.figures == ["2"] and record.mode == "basic"
        assert record.badge.startswith("basic · kept kernel above_more(a[3], n = 3, k = 5) · ")

    run(kept.app(), steps, size=(120, 40))


def test_an_answer_goes_on_as_it_was(kept):
    async def steps(pilot):
        app = pilot.app
        await answered(pilot)
        before, first = last(pilot).record, kept.session.conversation.id
        await ask(pilot, "/attempts 1")
        assert "^ use of undeclared" in last(pilot).record.shown
        await ask(pilot, "/new")
        await ask(pilot, f"/load {first}")
        record = last(pilot).record
        assert (record.figures, record.badge) == (before.figures, before.badge)
        assert "✗ attempt 1: compile" in screen_text(app) and "◆ 3" in screen_text(app)
        await pilot.press("alt+up")
        await open_run(pilot)
        await pilot.press("shift+right")
        await until(pilot, lambda: app.chat.machine.number == 10)
        assert app.chat.machine.run.attempt == 2
        await pilot.press("escape", "f3")
        await until(pilot, lambda: isinstance(app.screen, KernelScreen))
        await pilot.press("f5")
        await until(pilot, lambda: app.screen is app.chat)
        await settled(pilot)
        assert last(pilot).record.figures == ["out = 3"]

    run(kept.app(), steps, size=(120, 50))
