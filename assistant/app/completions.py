"""The list of completions above the input."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.app.clean import one_line
from assistant.slash import Candidate


class Completions(OptionList, can_focus=False):
    """Shown while there are candidates; the input keeps the focus and passes keys on."""

    class Chosen(Message):
        def __init__(self, candidate: Candidate) -> None:
            super().__init__()
            self.candidate = candidate

    def __init__(self) -> None:
        super().__init__(id="completions", markup=False)
        self.candidates: list[Candidate] = []

    @property
    def open(self) -> bool:
        return bool(self.candidates)

    def show(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = list(candidates)
        self.clear_options()
        self.display = self.open
        if not self.open:
            return
        width = max(len(c.shown) for c in candidates) + 2
        width = min(width, 44)
        self.add_options([
            Option(Content.assemble(
                f"{one_line(c.shown, width - 2):<{width}}", (one_line(c.about, 120), "$text-muted")
            ))
            for c in candidates
        ])  # fmt: skip
        self.highlighted = 0

    def move(self, by: int) -> None:
        if self.open:
            self.highlighted = ((self.highlighted or 0) + by) % len(self.candidates)

    def chosen(self) -> Candidate | None:
        at = self.highlighted
        return self.candidates[at] if at is not None and self.open else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Chosen(self.candidates[event.option_index]))
