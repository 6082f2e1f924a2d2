"""The kernels of an answer: attempts, diagnostics at their lines, the forms, running again."""

from __future__ import annotations

from assistant.app.annotated import annotated
from assistant.app.code_editor import CodeEditor
from assistant.app.kernel_screen import KernelScreen
from assistant.app.kernels import forms, problems, shown_of
from assistant.app.turn_record import TurnRecord

from .conftest import screen_text, settled, told, until
from .test_chat import last, run
from .test_prompt import KERNEL, paste

BROKEN = "__global__ void answer(const int *a, int n, int *out) {\n    out[0] = a[0] + ;\n}\n"
GOOD = "__global__ void answer(const int *a, int n, int *out) {\n    out[0] = a[0] + n;\n}\n"
ATTEMPTS = [
    {"number": 1, "cuda": BROKEN, "gives": "out[0]", "passed": False, "stage": "compile",
     "problem": "kernel.cu:2:21: expected expression"},
    {"number": 2, "cuda": GOOD, "gives": "out[0]", "passed": True, "stage": "", "problem": ""},
]  # fmt: skip


def test_problems_stand_at_their_lines():
    assert problems("kernel.cu:2:21: expected expression") == ((2, 21, "expected expression"),)
    assert problems("it failed") == ((0, 0, "it failed"),)
    text = annotated(BROKEN, [(2, 21, "expected expression"), (0, 0, "no place")]).plain
    lines = text.split("\n")
    assert lines[0].endswith("no place")
    assert lines[2].startswith("   2 ") and "^ expected expression" in lines[3]


def test_forms_of_a_kernel(kept):
    made = forms(GOOD, kept.settings.values)
    assert ".entry" in made.ptx and "// kernel answer" in made.listing and made.problems == ()
    assert forms(BROKEN, kept.settings.values).problems[0][0] == 2


def test_attempts_are_kept_shown_edited_and_run_again(kept):
    async def steps(pilot):
        app = pilot.app
        record = TurnRecord("k", "Add to the first of [4, 5, 6]", done=True, attempts=ATTEMPTS)
        await app.chat.conversation.add(record)
        assert [k.title for k in shown_of(record)] == ["1 compile", "2 passed"]
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, KernelScreen))
        await until(pilot, lambda: GOOD in app.screen.compiled)
        assert "out[0] = a[0] + n;" in screen_text(app)
        await pilot.press("up")
        await until(pilot, lambda: "^ expected expression" in screen_text(app))
        await pilot.press("down", "f8")
        await until(pilot, lambda: ".visible" in screen_text(app) or ".entry" in screen_text(app))
        assert "// kernel answer" in screen_text(app)
        await pilot.press("f8", "f9")
        assert app.clipboard == GOOD
        await pilot.press("f7")
        editor = app.screen.query_one(CodeEditor)
        assert app.focused is editor and editor._highlights
        editor.text = GOOD.replace("+ n", "+ n + 100")
        await pilot.press("escape")
        assert "+ 100" in screen_text(app)
        await pilot.press("f7")
        assert "+ 100" in editor.text
        await pilot.press("f5")
        await until(pilot, lambda: app.screen is app.chat)
        await settled(pilot)
        assert last(pilot).record.figures == ["out = 107"]

    run(kept.app(), steps, size=(120, 40))


async def pasted(pilot):
    """Pastes a kernel, and opens its screen when it has run."""
    await paste(pilot, KERNEL)
    await settled(pilot)
    await pilot.press("f3")
    await until(pilot, lambda: isinstance(pilot.app.screen, KernelScreen))


def test_a_pasted_kernel_is_edited_with_its_options(kept):
    async def steps(pilot):
        app = pilot.app
        await pasted(pilot)
        await pilot.press("f7")
        editor = app.screen.query_one(CodeEditor)
        editor.text = editor.text.replace("+", "*")
        await pilot.press("f5")
        await until(pilot, lambda: app.screen is app.chat)
        await settled(pilot)
        assert last(pilot).record.figures == ["b = 1, 4, 9"]

    run(kept.app(), steps)


def test_forms_that_come_when_the_screen_closes_are_dropped(kept):
    async def steps(pilot):
        app = pilot.app
        await pasted(pilot)
        screen = app.screen
        await until(pilot, lambda: screen.source in screen.compiled)
        for part in (CodeEditor, "#ptx"):
            await screen.query_one(part).remove()
            screen._show_forms(screen.kernel.source)
        app.pop_screen()

    run(kept.app(), steps)


def test_without_a_kernel_f3_says_so(kept):
    async def steps(pilot):
        await pilot.press("f3")
        await until(pilot, lambda: told(pilot.app, "no answer here"))

    run(kept.app(), steps)
