"""What an answer tells the screen. Apart from the widgets, which take longer to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from assistant.app.turn_record import TurnRecord


class OpenRun(Message):
    """The run of an answer is wanted in the machine panel."""

    def __init__(self, record: TurnRecord) -> None:
        super().__init__()
        self.record = record


class CopyText(Message):
    """`what` names the text in a notice; an empty text means that there is none."""

    def __init__(self, text: str, what: str) -> None:
        super().__init__()
        self.text, self.what = text, what


class EditAgain(Message):
    """A question is wanted back in the input."""

    def __init__(self, question: str) -> None:
        super().__init__()
        self.question = question


class BackToInput(Message):
    """The focus goes back to the input."""
