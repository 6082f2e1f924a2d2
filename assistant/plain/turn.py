"""One piece of work at the terminal: what happens is written as it does; Ctrl-C stops it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assistant.console import note, out, out_piece, unmarked
from assistant.events import Decided, Done, Figure, Loading, Note, Running, Text, Tried
from assistant.slash import Ran, Said, Started, Work, describe
from vgpu.errors import Cancelled, VgpuError

if TYPE_CHECKING:
    from assistant.advanced.answer import AdvancedAnswer
    from assistant.answer import Answer


class Turn:
    """Writes the events of one piece of work. `told` holds what was said to be loading before."""

    def __init__(self, told: set[str]) -> None:
        self._told = told
        self._shown = ""
        self._in_line = False
        self._waiting = True  # for something that does not look whether it is to stop
        self.cancelled = threading.Event()

    def perform(self, work: Work, assistant: Any, *, keep_on: bool) -> bool:
        """Whether it came to its end and has what was asked. With `keep_on`, Ctrl-C stops the
        work and nothing else; otherwise KeyboardInterrupt goes on."""
        try:
            with self._interruptible() if keep_on else _as_ever():
                done = self._follow(work.steps(assistant, self.cancelled))
        except Cancelled:
            return self._failed("stopped")
        except KeyboardInterrupt:
            if not keep_on:
                raise
            return self._failed("stopped")
        except VgpuError as error:
            return self._failed(describe(error))
        except MemoryError:
            return self._failed("out of memory: choose a smaller host with /host")
        except BrokenPipeError:
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            return self._failed(f"{where}{error.strerror or error}")
        return done

    def _follow(self, steps: Iterator[Any]) -> bool:
        ok = True
        for event in steps:
            self._waiting = isinstance(event, Loading)
            match event:
                case Loading(what):
                    if what not in self._told:
                        self._told.add(what)
                        note(f"{what} ...")
                case Text(piece):
                    self._piece(piece)
                case Figure(computed):
                    self._line(unmarked(computed.said))
                case Said(text):
                    self._line(text)
                case Note(text):
                    self._end_line()
                    note(text)
                case Tried(step, _, text):
                    if step != "writing":
                        note(text)
                case Done(answer):
                    ok = self._done(answer)
                case Ran():
                    self._line(event.text)
                    for line in event.notes:
                        note(line)
                    out(event.footing)
                case Decided() | Running() | Started():
                    pass
        return ok

    def _done(self, answer: Answer | AdvancedAnswer) -> bool:
        self._end_line()
        if unmarked(self._shown).split() != unmarked(answer.text).split():
            out(unmarked(answer.text))
        if answer.footing:
            out(answer.footing)
        return answer.ok

    def _piece(self, text: str) -> None:
        """Goes on in the line, without the blanks that some hosts begin with."""
        text = text if self._shown else text.lstrip()
        if text:
            self._shown += text
            self._in_line = not text.endswith("\n")
            out_piece(text)

    def _line(self, text: str) -> None:
        self._end_line()
        self._shown += text + "\n"
        out(text)

    def _end_line(self) -> None:
        if self._in_line:
            out()
            self._in_line = False

    def _failed(self, text: str) -> bool:
        self._end_line()
        note(text)
        return False

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """The first Ctrl-C asks the work to stop; a second, or one while something is loaded,
        stops it where it is."""

        def interrupt(_number: int, _frame: Any) -> None:
            if self._waiting or self.cancelled.is_set():
                raise KeyboardInterrupt
            self.cancelled.set()

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _as_ever() -> Iterator[None]:
    yield
