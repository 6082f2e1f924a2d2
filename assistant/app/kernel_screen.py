"""The kernels of an answer: each attempt's CUDA with the compiler's diagnostics at their lines,
PTX and lowered program side by side, and an editor to change one and run it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.app.annotated import annotated
from assistant.app.assembly import coloured
from assistant.app.clean import one_line
from assistant.app.code_editor import CodeEditor
from assistant.app.kernels import Forms, Shown, first_of, forms, has_kernels, request_of, shown_of
from assistant.app.turn_record import TurnRecord
from vgpu.errors import VgpuError

if TYPE_CHECKING:
    from assistant.slash import Session

__all__ = ["KernelScreen", "has_kernels"]

_FORMS = ("#ptx", "#program", "#annotated-text", "#editor")  # what shows a kernel's forms


class KernelScreen(Screen[Any]):
    """Gives back the request to run when the person runs an edited kernel, else None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", priority=True),
        Binding("f5", "run", "Run this source", priority=True),
        Binding("f7", "edit", "Edit", priority=True),
        Binding("f8", "forms", "CUDA or PTX and program", priority=True),
        Binding("f9", "copy", "Copy", priority=True),
    ]

    def __init__(self, record: TurnRecord, session: Session) -> None:
        super().__init__()
        self.record, self.session = record, session
        self.kernels = shown_of(record)
        self.index = first_of(record)
        self.compiled: dict[str, Forms] = {}
        self._edited: dict[int, str] = {}

    @property
    def kernel(self) -> Shown:
        return self.kernels[self.index]

    @property
    def source(self) -> str:
        """The kernel as it was edited, if it was."""
        editor = self.query_one(CodeEditor)
        if editor.display:
            self._edited[self.index] = editor.text
        return self._edited.get(self.index, self.kernel.source)

    def compose(self) -> ComposeResult:
        yield Static(
            "F5 run  F7 edit  F8 PTX and program  F9 copy  Escape back",
            id="kernel-keys", markup=False,
        )  # fmt: skip
        with Horizontal(id="kernel-columns"):
            yield OptionList(id="attempts", markup=False)
            with Vertical(id="kernel-source"):
                with VerticalScroll(id="annotated"):
                    yield Static(id="annotated-text")
                yield CodeEditor("", id="editor")
            with Horizontal(id="forms"):
                with VerticalScroll(id="ptx-box"):
                    yield Static(id="ptx")
                with VerticalScroll(id="program-box"):
                    yield Static(id="program")
        yield Static(id="kernel-state")

    def on_mount(self) -> None:
        listed = self.query_one("#attempts", OptionList)
        listed.add_options([Option(Content(one_line(k.title, 24))) for k in self.kernels])
        listed.display = len(self.kernels) > 1
        self.query_one("#editor").display = False
        self.query_one("#forms").display = False
        self.query_one("#ptx-box").border_title = Content("PTX")
        self.query_one("#program-box").border_title = Content("program")
        listed.highlighted = self.index
        listed.focus()
        self._show()

    @on(OptionList.OptionHighlighted)
    def _chosen(self, event: OptionList.OptionHighlighted) -> None:
        self.index = event.option_index
        self._show()

    def _show(self) -> None:
        kernel, source = self.kernel, self._edited.get(self.index, self.kernel.source)
        self.query_one("#editor").display = False
        self.query_one("#annotated").display = True
        self._annotate(source, kernel.problems if source == kernel.source else ())
        self._say(f"attempt {kernel.title}" if len(self.kernels) > 1 else kernel.title)
        self._compile(source)

    def _annotate(self, source: str, problems: Sequence[tuple[int, int, str]]) -> None:
        self.query_one("#annotated-text", Static).update(annotated(source, problems))

    def _say(self, text: str) -> None:
        self.query_one("#kernel-state", Static).update(Content(one_line(text)))

    @work(thread=True, exclusive=True)
    def _compile(self, source: str) -> None:
        if source not in self.compiled:
            self.compiled[source] = forms(source, self.session.settings.values)
        self.app.call_from_thread(self._show_forms, source)

    def _show_forms(self, source: str) -> None:
        made = self.compiled[source]
        # The screen may be closing: then some of its parts are gone already.
        if any(not self.query(part) for part in _FORMS) or source != self.source:
            return
        self.query_one("#ptx", Static).update(coloured(made.ptx or "it does not compile"))
        self.query_one("#program", Static).update(coloured(made.listing))
        told = self.kernel.problems if source == self.kernel.source else ()
        problems = list(dict.fromkeys((*told, *made.problems)))
        self._annotate(source, problems)

    # ---- keys ----
    def action_back(self) -> None:
        """Out of the editor first (what was changed stays in it), then back to the chat."""
        editor = self.query_one(CodeEditor)
        if editor.display:
            self._edited[self.index] = editor.text
            self._show()
            self.query_one("#attempts").focus()
        else:
            self.dismiss(None)

    def action_edit(self) -> None:
        editor = self.query_one(CodeEditor)
        if not editor.display:
            editor.text = self.source
        editor.display = True
        self.query_one("#annotated").display = False
        self._one_half(source=True)
        editor.focus()

    def action_forms(self) -> None:
        """CUDA, or PTX and program side by side; on wide screens all three."""
        self._one_half(source=bool(self.query_one("#forms").display))
        self._compile(self.source)

    def _one_half(self, *, source: bool) -> None:
        wide = self.size.width >= 150
        self.query_one("#kernel-source").display = source or wide
        self.query_one("#forms").display = not source

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self.source)
        self.notify("source copied", timeout=2)

    def action_run(self) -> None:
        try:
            self.dismiss(request_of(self.record, self.kernel, self.source))
        except VgpuError as error:
            self.notify(str(error), severity="error", markup=False)
