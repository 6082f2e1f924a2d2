"""The app: what a message means, and what becomes of the answer."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import threading
import traceback
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from textual import on, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen
from textual.theme import Theme

from assistant import config, ending
from assistant.app.chat_screen import ChatScreen
from assistant.app.clipboard import copy_into_tmux
from assistant.app.history import History
from assistant.app.kept_runs import keeping, runs_of
from assistant.app.loading import LoadingLine
from assistant.app.messages import OpenRun
from assistant.app.opening import MakeOpener
from assistant.app.prompt import Prompt
from assistant.app.run_folder import RunFolder
from assistant.app.talk import Talk
from assistant.app.themes import DARK, LIGHT, THEMES
from assistant.app.timing import Timing
from assistant.app.turn_record import TurnRecord, kept_turns
from assistant.config import Config
from assistant.conversations import Conversation
from assistant.slash import Changed, Copied, Left, Opened, Outcome, Session, Shown, Work
from vgpu.errors import InputError, VgpuError


class AssistantApp(App[int]):
    """`make_opener(settings, traces)` makes what opens the assistant, in the worker thread.
    `history`: the file of what was asked; None keeps none. `resume`: which conversation to go on
    with, None for a new one."""

    TITLE = "assistant"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Leave", priority=True),
        Binding("ctrl+t", "toggle_dark", "Light or dark", priority=True),
        Binding("f1", "help", "Keys and commands", priority=True),
        Binding("f3", "kernels", "Kernels of the answer", priority=True),
        Binding("f4,ctrl+o", "conversations", "Conversations", priority=True),
        Binding("ctrl+n", "new", "New conversation", priority=True),
    ]

    def __init__(
        self,
        session: Session,
        make_opener: MakeOpener,
        *,
        history: Path | None = None,
        resume: Conversation | None = None,
    ) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self._begin_with(THEMES[str(session.settings["theme"])])
        self.session = session
        self._make_opener = make_opener
        self._folder = RunFolder()
        self.traces = self._folder.path
        self._resume = resume
        self.history = History(history)
        self.talk = Talk(make_opener(session.settings, self.traces))
        self.timing = Timing(history.with_name("opening.json") if history else None)
        self.chat = ChatScreen(self.talk, self.history)
        self.chat.mode = session.mode

    def _begin_with(self, theme: Theme) -> None:
        """The first theme. Setting `theme` would have the style sheet read a second time, and the
        first paint wait for it."""
        self.set_reactive(App.theme, theme.name)
        self.stylesheet.set_variables(self.get_css_variables())
        modes = {"-dark-mode": theme.dark, "-light-mode": not theme.dark}
        self.update_classes({**modes, f"-theme-{theme.name}": True}, update=False)

    def get_default_screen(self) -> Screen[Any]:
        return self.chat

    def get_driver_class(self) -> type[Driver]:
        from assistant.app import terminal_input

        terminal_input.install()
        return super().get_driver_class()

    async def on_mount(self) -> None:
        # What the libraries print would tear the screen; the loading line shows it instead.
        self.begin_capture_print(self.chat)
        self._heed_signals()
        self.call_after_refresh(self._begin)

    async def _begin(self) -> None:
        """After the first paint: what the first answer needs is imported beside the typing."""
        gc.freeze()
        gc.enable()
        for later in (_import_widgets, self._folder.hold):
            threading.Thread(target=later, daemon=True).start()
        self.chat.loading_line.expect(self.timing.expected(str(self.session.settings["host"])))
        self.talk.start()
        if self._resume is not None:
            await self.outcome(self.session.resume(self._resume))
        self.tell_notices()

    def _heed_signals(self) -> None:
        """Told to end, the app leaves as by Ctrl-Q. A handler of the loop's own would wait for a
        loop that is stuck in writing to a terminal that is gone."""
        if threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()

        def heed(number: int, _frame: Any) -> None:
            ending.insist(number)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(lambda: self.exit(return_code=ending.status_of(number)))

        for number in ending.signals():
            signal.signal(number, heed)

    def on_unmount(self) -> None:
        self.talk.stop()
        self._folder.remove()

    def _fatal_error(self) -> None:
        """A defect of ours: one line for the person, the rest into a file."""
        from rich.text import Text

        log = self.traces.parent / f"assistant-crash-{os.getpid()}.log"
        with contextlib.suppress(OSError):
            log.write_text(traceback.format_exc(), encoding="utf-8")
        self.bell()
        self._exit_renderables.append(Text(
            f"assistant: a defect ended the app ({self._exception!r}); the conversation is kept: "
            f"assistant --continue. Details: {log}"
        ))  # fmt: skip
        self._close_messages_no_wait()

    @on(LoadingLine.Took)
    def _took(self, message: LoadingLine.Took) -> None:
        self.timing.took(str(self.session.settings["host"]), message.seconds)

    # ---- messages ----
    @on(Prompt.Sent)
    async def _sent(self, message: Prompt.Sent) -> None:
        await self.say(message.text)

    @on(Prompt.PastedKernel)
    async def _pasted(self, message: Prompt.PastedKernel) -> None:
        self.history.add(message.source)
        await self.say(message.source)

    async def say(self, text: str) -> None:
        """A question, a command, a kernel or its options."""
        try:
            outcome = self.session.take(text)
        except VgpuError as error:
            self.notify(str(error), severity="error", timeout=10, markup=False)
            if "\n" not in text and not self.chat.prompt.text:
                self.chat.prompt.put(text)
            return
        await self.outcome(outcome, text)

    async def outcome(self, outcome: Outcome, text: str = "") -> None:
        match outcome:
            case Work():
                await self.add_turn(outcome)
            case Shown(answer):
                record = TurnRecord(uuid.uuid4().hex, text, shown=answer, done=True)
                await self.chat.conversation.add(record)
            case Opened(_, messages):
                self.talk.cancel_waiting()
                await self.chat.conversation.show_all(kept_turns(messages))
                self.chat.machine.show_runs([], follow=False)
            case Changed(settings, host, answer):
                self.chat.mode = self.session.mode
                self._change(settings, host)
                self.notify(answer, markup=False)
            case Copied(answer):
                self.copy_to_clipboard(answer)
                self.notify("answer copied", timeout=2)
            case Left():
                self.exit(0)
        self.chat.tell_status()
        self.tell_notices()

    def _change(self, settings: Config, host: bool) -> None:
        """Other settings from the next message on. Host and machine stay, unless it is the host
        that changes."""
        if host or self.talk.assistant is None:
            self.talk.replace(self._make_opener(settings, self.traces))
            return

        def take(assistant: Any, _stop: threading.Event) -> Iterator[Any]:
            assistant.config = settings
            yield from ()

        self.talk.add("", take)

    async def add_turn(self, work: Work) -> None:
        """A turn whose answer the worker makes."""
        record = TurnRecord(uuid.uuid4().hex, work.shown, self.session.mode)
        await self.chat.conversation.add(record)
        self.talk.add(record.key, keeping(work, self.session), work.unbegun)
        self.chat.tell_status()

    def tell_notices(self) -> None:
        """What the store had to say: a full disk, a damaged file."""
        for notice in self.session.store.take_notices():
            self.notify(str(notice), severity="warning", timeout=20, markup=False)

    # ---- runs ----
    @on(OpenRun)
    def _open_run(self, message: OpenRun) -> None:
        try:
            runs, chosen = runs_of(message.record, self.session, self.traces), message.record.chosen
        except VgpuError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        if not runs:
            self.notify("the machine ran nothing for this answer", markup=False)
            return
        mine = [i for i, run in enumerate(runs) if run.attempt and run.attempt == chosen]
        self.chat.machine.show_runs(runs, (mine or [0])[0], follow=any(run.live for run in runs))
        self.chat.show_machine()

    # ---- keys ----
    def action_toggle_dark(self) -> None:
        """The other theme, also the next time."""
        other = "light" if self.current_theme.dark else "dark"
        self.theme = THEMES[other].name
        try:
            config.remember("theme", other)
        except InputError as error:
            self.notify(f"the theme is not kept: {error}", severity="warning", markup=False)

    def action_help(self) -> None:
        from assistant.app.help_screen import HelpScreen

        self.push_screen(HelpScreen())

    @work
    async def action_kernels(self) -> None:
        """The kernels of the answer that has the focus, or of the last one that has some."""
        from assistant.app.kernel_screen import KernelScreen, has_kernels
        from assistant.app.turn import Turn

        focused = self.focused
        turns = [focused] if isinstance(focused, Turn) else self.chat.conversation.turns[::-1]
        record = next((t.record for t in turns if has_kernels(t.record)), None)
        if record is None:
            self.notify("no answer here has a kernel of its own: /mode advanced, or /run FILE")
            return
        request = await self.push_screen_wait(KernelScreen(record, self.session))
        if request is None:
            return
        await self.add_turn(self.session.work_of(request, request.source))

    async def action_new(self) -> None:
        await self.say("/new")

    @work
    async def action_conversations(self) -> None:
        from assistant.app.pick_screen import Item, PickScreen

        def find(words: str) -> list[Item]:
            store = self.session.store
            if not words.strip():
                return [Item(c.id, c.title or c.id, _about(c)) for c in store.conversations(200)]
            found = store.search(words, 100)
            items = {f.conversation.id: Item(f.conversation.id, f.conversation.title, f.excerpt)
                     for f in reversed(found)}  # fmt: skip
            return list(items.values())[::-1]

        screen = PickScreen("Conversations · Enter goes on with one", find, "none yet")
        picked = await self.push_screen_wait(screen)
        if picked is not None:
            await self.outcome(self.session.resume(self.session.store.get(picked)))

    @on(Prompt.SearchHistory)
    @work
    async def _search_history(self) -> None:
        from assistant.app.pick_screen import Item, PickScreen

        def find(words: str) -> list[Item]:
            return [Item(entry, entry) for entry in self.history.search(words)]

        picked = await self.push_screen_wait(PickScreen("History · Enter takes one", find))
        if picked is not None:
            self.chat.prompt.put(picked)
        self.chat.prompt.focus()

    def copy_to_clipboard(self, text: str) -> None:
        """By OSC 52; inside tmux also into its own buffer, which goes on to the terminal."""
        super().copy_to_clipboard(text)
        copy_into_tmux(text)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        yield SystemCommand("Help", "Keys and commands (F1)", self.action_help)
        yield SystemCommand("Machine panel", "Show or hide it (F2)", self.chat.action_machine)
        yield SystemCommand("Kernels", "CUDA, PTX and program (F3)", self.action_kernels)
        yield SystemCommand("Conversations", "Find one (F4)", self.action_conversations)
        yield SystemCommand("Light or dark", "The other theme (^T)", self.action_toggle_dark)
        yield SystemCommand("Stop", "Stop the run (^C)", self.chat.action_interrupt)
        for name in ("new", "mode basic", "mode advanced", "kernels", "attempts", "host", "trace",
                     "export", "list", "copy"):  # fmt: skip
            yield SystemCommand(f"/{name}", "command", lambda name=name: self._command(name))

    def _command(self, name: str) -> None:
        self.run_worker(self.say(f"/{name}"))


def _import_widgets() -> None:
    import assistant.app.recording
    import assistant.app.turn  # noqa: F401


def _about(conversation: Conversation) -> str:
    from datetime import datetime

    when = datetime.fromtimestamp(conversation.updated).strftime("%d %b %H:%M")
    return f"{when} · {conversation.messages} messages · {conversation.id}"
