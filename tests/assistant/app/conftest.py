"""The app with a fake assistant: events as the real one yields them, no language model.

The machine is a real one, made once. "say ..." is plain chat, "long" a run that has to be stopped,
"slow" a chat that waits for `release`; anything else is a dot product. In advanced mode the real
loop runs, with a writer of fixed texts (`Kept.texts`) in the host's place.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from assistant import config
from assistant.advanced.mode import AdvancedMode
from assistant.answer import Answer, Assistant, Computed
from assistant.app.app import AssistantApp
from assistant.app.talk import Opening
from assistant.app.watched import Watched
from assistant.conversations import open_store
from assistant.events import Decided, Done, Figure, Loading, Running, Text
from assistant.router.routed import Call, Routed
from assistant.slash import Session
from tests.assistant.scripted import RENAMED, Scripted
from vgpu.errors import Cancelled, InputError, VgpuError

SPANS = ((), ())


class FakeAssistant(Assistant):
    """Answers by the first word of a question."""

    def __init__(self, machine, settings, texts=RENAMED):
        super().__init__(
            settings, host=SimpleNamespace(label="Fake host", load=lambda: None), machine=machine
        )
        self.release = threading.Event()
        self.asked = []
        self.advanced = AdvancedMode(settings, writer=Waiting(self.release, texts), machine=machine)

    def stream(self, question, cancelled=None, **leans):
        self.asked.append(question)
        yield from super().stream(question, cancelled, **leans)

    def _routed(self, question, cancelled, before, history):
        yield Loading("loading Fake host")
        word, _, rest = question.partition(" ")
        if word in ("say", "slow"):
            yield from self._chat(question, rest, word == "slow", cancelled)
        elif word == "fail":
            raise VgpuError(f"kernel.cu:3: {rest or 'it failed'}")
        elif word == "crash":
            raise RuntimeError(rest)
        elif word == "input":
            raise InputError(rest)
        else:
            call = Call("dot", ([1, 2, 3], [4, 5, 6]), SPANS)
            yield from self._call(question, call, word == "long", cancelled)

    def _chat(self, question, rest, slow, cancelled):
        routed = Routed("chat", (), "fake", 1.0)
        yield Decided(routed)
        said = []
        for at, piece in enumerate(rest.split(" ")):
            if slow and at == 1:
                while not self.release.wait(0.01):
                    if cancelled.is_set():
                        raise Cancelled("stopped")
            said.append(piece + " ")
            yield Text(piece + " ")
        yield Done(Answer(question, routed, (), "".join(said).strip(), "Fake host", "sparse", 0.1))

    def _call(self, question, call, endless, cancelled):
        from codegen import composition

        routed = Routed("calls", (call,), "fake", 0.98)
        yield Decided(routed)
        yield Running(call)
        if endless:
            while not cancelled.wait(0.01):
                pass
            raise Cancelled("stopped")
        launch = composition.launcher(self.machine, max_passes=10_000)
        outcome = composition.evaluate(call.nested(), launch)
        run = outcome.steps[-1].run
        computed = Computed(
            call, outcome.result, None, run.passes, run.words, 0.07, written=str(outcome.result)
        )
        yield Figure(computed)
        yield Done(Answer(question, routed, (computed,), "", "Fake host", "sparse", 0.2))


class Waiting(Scripted):
    """Text "wait" waits for `release`, or to be stopped."""

    def __init__(self, release, texts):
        super().__init__(*texts)
        self.release = release

    def write(self, order, cancelled):
        while self.texts[min(len(self.orders), len(self.texts) - 1)] == "wait":
            if cancelled.wait(0.01):
                raise Cancelled("stopped")
            if self.release.is_set():
                self.texts.remove("wait")
        return super().write(order, cancelled)


class Kept:
    """What a test may look at: the session, its store, the fake assistant once it is opened."""

    def __init__(self, folder: Path, machine):
        good, serial, broken = RENAMED
        self.texts = [broken, good, serial]
        self.settings = config.load({"advanced.attempts": 3})
        self.store = open_store(folder / "conversations.db")
        self.session = Session(self.settings, self.store)
        self.folder, self.machine = folder, machine
        self.assistant = None
        self.opened = 0

    def make_opener(self, settings, traces):
        def open_all(publish):
            publish(Opening("loading Fake host"))
            self.opened += 1
            machine = Watched(lambda: self.machine, traces, publish)
            self.assistant = FakeAssistant(machine, settings, self.texts)
            return self.assistant

        return open_all

    def app(self, **more) -> AssistantApp:
        return AssistantApp(
            self.session, self.make_opener, history=self.folder / "history.jsonl", **more
        )


@pytest.fixture(scope="session")
def machine():
    import vgpu

    return vgpu.Machine(engine="interpreter")


@pytest.fixture
def kept(tmp_path, machine):
    kept = Kept(tmp_path, machine)
    yield kept
    kept.store.close()


async def settled(pilot, seconds=600.0):
    """Waits until the worker has nothing to do and the screen has drawn what it did."""
    app = pilot.app
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        await pilot.pause(0.02)
        talk = app.talk
        assert app._exception is None, app._exception
        idle = talk.assistant is not None and not talk.busy and talk.events.empty()
        idle = idle and not app.chat.loading_line.open
        if idle and all(record.done for record in app.chat.conversation.records):
            await drawn(pilot)
            return
    raise AssertionError("the worker did not finish")


async def until(pilot, condition, seconds=600.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        await pilot.pause(0.02)
    raise AssertionError("it did not come about")


async def drawn(pilot):
    """Waits until the screen stays the same while all widgets take their messages, three times."""
    seen = []

    def same():
        seen.append(screen_text(pilot.app))
        return len(seen) > 3 and len(set(seen[-4:])) == 1

    await until(pilot, same)


def told(app, words) -> bool:
    """Whether a notice has these words."""
    return any(words in notice.message for notice in app._notifications)


async def open_run(pilot):
    """Enter on an answer, and waits until the panel has read its run."""
    panel = pilot.app.chat.machine
    await pilot.press("enter")
    await until(pilot, lambda: pilot.app.focused is panel and panel.recording.ended)


async def ask(pilot, text):
    """Types and sends, and waits for the answer."""
    pilot.app.chat.prompt.put(text)
    await pilot.press("enter")
    await settled(pilot)


def screen_text(app) -> str:
    """What is drawn, as plain text."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())
