"""The chat: conversation, machine panel, input and status line."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen

from assistant.app.completions import Completions
from assistant.app.conversation import Conversation
from assistant.app.history import History
from assistant.app.loading import LoadingLine
from assistant.app.machine.panel import MachinePanel
from assistant.app.messages import BackToInput, CopyText, EditAgain
from assistant.app.prompt import Prompt
from assistant.app.status import Status
from assistant.app.talk import Failed, Opened, Opening, Stopped, Talk
from assistant.app.watched import RunBegan
from assistant.events import Done, Text
from assistant.slash import complete

TICK = 0.1  # seconds between two looks at what the worker did
WIDE = 120  # columns from which the machine panel is there without being asked
ONE_COLUMN = 100  # columns below which the panel takes the conversation's place


class ChatScreen(Screen[None]):
    """Draws what the worker did, a tick at a time. What a message means is `App`'s to decide."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Stop or copy", priority=True),
        Binding("f2", "machine", "Machine panel", priority=True),
        Binding("f6", "other_side", "Input or panel", priority=True),
        Binding("alt+up", "turns(-1)", "Answer above", priority=True),
        Binding("alt+down", "turns(1)", "Answer below", priority=True),
        Binding("pageup", "page(-1)", "Page up", priority=True),
        Binding("pagedown", "page(1)", "Page down", priority=True),
        Binding("ctrl+home", "top", "First answer", priority=True),
        Binding("ctrl+end", "bottom", "Last answer", priority=True),
    ]

    def __init__(self, talk: Talk, history: History) -> None:
        super().__init__()
        self.talk = talk
        self.mode = "basic"
        self.conversation = Conversation()
        self.machine = MachinePanel()
        self.completions = Completions()
        self.loading_line = LoadingLine()
        self.prompt = Prompt(history)
        self.status = Status()
        self.host = ""
        self._asked_for_panel: bool | None = None  # what the person chose, if they did

    def compose(self) -> ComposeResult:
        with Horizontal(id="columns"):
            yield self.conversation
            yield self.machine
        yield self.loading_line
        yield self.completions
        yield self.prompt
        yield self.status

    def on_mount(self) -> None:
        self.machine.display = False
        self.set_focus(self.prompt)
        self.set_interval(TICK, self._tick)
        self.tell_status()

    def on_resize(self, event: events.Resize) -> None:
        self._arrange(event.size.width)

    def _arrange(self, width: int) -> None:
        wanted = self._asked_for_panel
        shown = width >= WIDE if wanted is None else wanted
        self.machine.display = shown
        self.conversation.display = not shown or width >= ONE_COLUMN
        if not shown and self.focused is self.machine:
            self.set_focus(self.prompt)

    # ---- the worker's events ----
    async def _tick(self) -> None:
        texts: dict[str, list[str]] = {}
        happened = self.talk.drain()
        ended = {key for key, event in happened if isinstance(event, Done)}
        for key, event in happened:
            if isinstance(event, Text) and key in ended:
                continue  # the whole answer comes with the end: it is drawn once
            if isinstance(event, Text):
                texts.setdefault(key, []).append(event.piece)
                continue
            await self._write(texts)
            if key:
                await self._turn_event(key, event)
            else:
                self._own_event(event)
        await self._write(texts)
        if happened:
            self.tell_status()

    async def _write(self, texts: dict[str, list[str]]) -> None:
        for key, pieces in texts.items():
            turn = self.conversation.turn(key)
            if turn is not None:
                await turn.add_text("".join(pieces))
        texts.clear()

    async def _turn_event(self, key: str, event: Any) -> None:
        turn = self.conversation.turn(key)
        if turn is None:
            return
        await turn.take(event)
        if isinstance(event, RunBegan):
            self.machine.show_runs(turn.record.runs, follow=True)
        if isinstance(event, Failed) and event.example and not self.prompt.text:
            self.prompt.put(event.example)

    def _own_event(self, event: Any) -> None:
        match event:
            case Opening(what):
                self.loading_line.step(what)
            case Opened(label, seconds):
                self.host = label
                self.loading_line.done(seconds)
            case Failed(text):
                self.loading_line.failed(text)
            case Stopped():
                self.loading_line.stopped()

    def tell_status(self) -> None:
        opening = "loading, ^C stops" if self.loading_line.open else "not loaded"
        doing = "working, ^C stops" if self.talk.busy else "ready" if self.host else opening
        host = f"{self.host} · " if self.host else ""
        self.status.say(f"{host}{self.mode} · {doing}")

    def on_print(self, event: events.Print) -> None:
        self.loading_line.printed(event.text)

    # ---- typing ----
    @on(Prompt.Typed)
    def _typed(self, message: Prompt.Typed) -> None:
        app = self.app
        text = message.text
        found = []
        if text.startswith(("/", "--")) and "\n" not in text:
            found = complete(text, app.session.settings, app.session.store)  # type: ignore[attr-defined]
        if len(found) == 1 and found[0].text.rstrip() == text[found[0].start :]:
            found = []
        self.completions.show(found)
        self.prompt.completing = self.completions.open

    @on(Prompt.CompletionKey)
    def _completion_key(self, message: Prompt.CompletionKey) -> None:
        match message.key:
            case "up" | "down":
                self.completions.move(-1 if message.key == "up" else 1)
            case "tab":
                self._complete()
            case _:
                self.completions.show([])
                self.prompt.completing = False

    @on(Completions.Chosen)
    def _complete(self) -> None:
        candidate = self.completions.chosen()
        if candidate is not None:
            self.prompt.put(self.prompt.text[: candidate.start] + candidate.text)

    def on_paste(self, event: events.Paste) -> None:
        """A paste while something else has the focus."""
        event.stop()
        self.prompt.paste_text(event.text)

    def on_key(self, event: events.Key) -> None:
        """Letters that nothing else took are typed: they are never lost. Some that were on their
        way to what had the focus come when the input has it already."""
        if event.key in self.active_bindings:
            return
        if event.is_printable and event.character:
            event.stop()
            self.set_focus(self.prompt)
            self.prompt.insert(event.character)

    # ---- answers ----
    @on(CopyText)
    def _copy(self, message: CopyText) -> None:
        if not message.text:
            self.notify(f"no {message.what} to copy", severity="warning", markup=False)
            return
        self.app.copy_to_clipboard(message.text)
        self.notify(f"{message.what} copied", markup=False, timeout=2)

    @on(BackToInput)
    def _leave(self) -> None:
        self.set_focus(self.prompt)

    @on(EditAgain)
    def _edit_again(self, message: EditAgain) -> None:
        self.prompt.put(message.question)
        self.set_focus(self.prompt)

    # ---- keys ----
    def action_interrupt(self) -> None:
        """Copies what is selected; otherwise stops the run; otherwise says how to leave."""
        selected = self.get_selected_text() or getattr(self.focused, "selected_text", "")
        if selected:
            self.app.copy_to_clipboard(selected)
            self.clear_selection()
            self.notify("copied", timeout=2)
        elif self.talk.cancel():
            self.notify("stopping", timeout=2)
        elif self.prompt.text:
            self.prompt.put("")
        else:
            self.notify("nothing runs; Ctrl-Q leaves", timeout=3)

    def action_machine(self) -> None:
        """Shows the panel or hides it. Who types goes on typing: F6 gives it the keys."""
        self._asked_for_panel = not self.machine.display
        self._arrange(self.size.width)

    def show_machine(self) -> None:
        """The panel, whatever the width, with the focus."""
        if not self.machine.display:
            self._asked_for_panel = True
            self._arrange(self.size.width)
        self.set_focus(self.machine)

    def action_other_side(self) -> None:
        if self.focused is self.prompt and self.machine.display:
            self.set_focus(self.machine)
        else:
            self.set_focus(self.prompt)

    def action_turns(self, step: int) -> None:
        self.conversation.action_turn(step)

    def action_page(self, step: int) -> None:
        (self.conversation.scroll_page_up if step < 0 else self.conversation.scroll_page_down)()

    async def action_top(self) -> None:
        if not await self.conversation.show_earlier():
            self.conversation.scroll_home(animate=False)

    def action_bottom(self) -> None:
        self.conversation.scroll_end(animate=False)
