"""What advanced mode answers: the figures, or plainly that there are none, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assistant.advanced.attempts import Attempt, listing, ptx
from assistant.advanced.task import Task

SHOWN = ("cuda", "ptx", "asm")


@dataclass(frozen=True)
class AdvancedAnswer:
    """`figure` is None when no program passed its checks. `chosen` is the program that gave it, or
    the best that there was."""

    question: str
    task: Task
    attempts: tuple[Attempt, ...]
    chosen: Attempt | None
    figure: int | list[int] | None
    doubt: str
    host: str
    engine: str
    seconds: float = field(default=0.0, compare=False)
    kept: str = ""  # the name of the kept kernel that ran, when nothing was written

    @property
    def ok(self) -> bool:
        return self.figure is not None

    @property
    def text(self) -> str:
        if self.figure is None and self.kept:
            return f"{self.kept} gave no figure: {self.doubt}."
        if self.figure is None:
            return f"I have no checked figure: {self.doubt}."
        return (
            ", ".join(map(str, self.figure)) if isinstance(self.figure, list) else str(self.figure)
        )

    @property
    def footing(self) -> str:
        """One line on where the answer comes from."""
        if self.kept:
            ran = f"{self.chosen.passes} passes · {self.chosen.words} words · " if self.ok else ""
            return f"kept kernel {self.call} · {ran}{self.seconds:.2f} s · {self.engine}"
        tried = f"{len(self.attempts)} attempt{'s' if len(self.attempts) != 1 else ''}"
        if self.chosen is None or self.figure is None:
            return f"{tried} · {self.seconds:.2f} s · {self.engine} · written by {self.host}"
        return (
            f"{self.call} · {self.chosen.passes} passes · "
            f"{self.chosen.words} words · {self.seconds:.2f} s · {self.engine} · written by "
            f"{self.host}, {tried}, checked on {len(self.chosen.checked)} made-up inputs"
        )

    @property
    def call(self) -> str:
        """The kernel with its data: `answer(a[5], n = 5)`."""
        return f"{self.task.signature.name}({self.task.data})"

    @property
    def cuda(self) -> str:
        """The program that was chosen, as CUDA."""
        if self.chosen is None:
            return ""
        return self.chosen.source or self.chosen.draft.source

    @cached_property
    def ptx(self) -> str:
        """Its PTX; compiled anew when first asked for."""
        return ptx(self.cuda) if self.chosen is not None and self.chosen.compiled else ""

    @property
    def program(self) -> str:
        """Its instructions, as a listing."""
        chosen = self.chosen
        return listing(chosen.program) if chosen is not None and chosen.program else ""

    def shown(self, what: str) -> str:
        """The program in one of the forms of SHOWN."""
        return {"cuda": lambda: self.cuda, "ptx": lambda: self.ptx, "asm": lambda: self.program}[
            what
        ]()

    def record(self) -> dict[str, Any]:
        """The JSON shape of `ask --json`."""
        shown = self.chosen if self.figure is not None else None
        return {
            "answer": self.text,
            "figures": [self.figure] if self.figure is not None else [],
            "calls": [self._call(shown)] if shown is not None else [],
            "mode": "advanced",
            "kept": self.kept or None,
            "task": self.task.record(),
            "chosen": self.chosen.number if self.chosen is not None else None,
            "router": "name" if self.kept else "advanced",
            "confidence": shown.draft.probability if shown is not None else 0.0,
            "host": self.host,
            "engine": self.engine,
            "cuda": self.cuda,
            "ptx": self.ptx,
            "program": self.program,
            "attempts": [attempt.record() for attempt in self.attempts],
            "doubt": self.doubt or None,
            "passes": shown.passes if shown is not None else 0,
            "words": shown.words if shown is not None else 0,
            "seconds": self.seconds,
        }

    def _call(self, attempt: Attempt) -> dict[str, Any]:
        return {
            "call": self.call,
            "kernel": self.task.signature.name,
            "args": list(self.task.inputs.values()),
            "figure": self.figure,
            "problem": None,
            "passes": attempt.passes,
            "words": attempt.words,
            "seconds": attempt.seconds,
        }
