"""What a turn says, without its widget: made from events as they come, or from kept messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.app.clean import one_line
from assistant.app.figures import plain

if TYPE_CHECKING:
    from assistant.advanced.answer import AdvancedAnswer
    from assistant.answer import Answer
    from assistant.conversations import Message
    from assistant.events import Tried
    from assistant.slash import Ran, Request
    from vgpu.program import Program

_CALL = 60  # characters of a call in a badge


@dataclass
class RunRecord:
    """A launch: its program and its trace, where they are known; `name` of a trace that is kept
    with the message."""

    kernel: str
    program: Program | None = None
    trace: Path | None = None
    budget: int = 0
    passes: int = 0
    kept: str = ""
    number: int = 0
    live: bool = False
    rate: float = 0.0  # passes a second
    attempt: int = 0  # of advanced mode, by its number
    check: bool = False  # of a self-check: on made-up inputs


@dataclass
class TurnRecord:
    """`figures` were computed by the machine; `text` is the host's own; `shown` is an answer to a
    command. `message` is the number of the kept answer, 0 when it is not kept."""

    key: str
    question: str
    mode: str = "basic"
    figures: list[str] = field(default_factory=list)
    text: str = ""
    shown: str = ""
    notes: list[str] = field(default_factory=list)
    badge: str = ""
    computed: bool = False
    problem: str = ""
    runs: list[RunRecord] = field(default_factory=list)
    done: bool = False
    message: int = 0
    source: str = ""  # the CUDA that ran, when there is some
    attempts: list[dict[str, Any]] = field(default_factory=list)  # of advanced mode, as records
    steps: dict[int, str] = field(default_factory=dict)  # of the attempts that are not done
    written: Mapping[str, Any] = field(default_factory=dict)  # the kept record of such an answer
    checking: bool = False  # the machine runs an attempt on made-up inputs
    request: Request | None = None  # of a kernel that was run

    @property
    def chosen(self) -> int:
        """The number of the attempt that the answer rests on; 0 for none."""
        return int(self.written.get("chosen") or 0) if self.figures else 0

    @property
    def looked_at(self) -> dict[str, Any]:
        """The attempt whose kernel is shown: the answer's, else the last."""
        mine = (a for a in self.attempts if a.get("number") == self.chosen)
        return next(mine, self.attempts[-1])

    @property
    def plain(self) -> str:
        """The answer as text to copy."""
        parts = (*map(plain, self.figures), self.text, self.shown, self.problem)
        return "\n".join(part for part in parts if part)

    def take_answer(self, answer: Answer | AdvancedAnswer) -> None:
        """The end of a question's turn."""
        from assistant.answer import Answer  # the worker has it loaded by now

        self.done = True
        if not isinstance(answer, Answer):
            self.take_written(answer.text, answer.record())
            return
        verdict = answer.routed.verdict
        self.figures = [c.said for c in answer.computed if c.problem is None]
        self.notes += [c.said for c in answer.computed if c.problem is not None]
        self.text = answer.text if not answer.computed else self.text
        calls = [str(c.call) for c in answer.computed]
        passes = sum(c.passes for c in answer.computed)
        self._badge(verdict, calls, passes, answer.seconds, answer.engine, answer.host)

    def take_step(self, event: Tried) -> None:
        """An attempt of advanced mode has come a step on."""
        self.checking = event.step == "compiled"
        if event.record:
            self.attempts = [a for a in self.attempts if a.get("number") != event.number]
            self.attempts.append(dict(event.record))
        if event.step == "done":
            self.steps.pop(event.number, None)
            self.drop_checks()
        elif event.record:
            self.steps[event.number] = event.text

    def drop_checks(self) -> None:
        """Forgets the runs on made-up inputs: they are there to be watched, not to be kept."""
        self.runs = [run for run in self.runs if not run.check]

    def take_written(self, text: str, record: Mapping[str, Any]) -> None:
        """An answer of advanced mode, also one that was kept."""
        self.written, self.steps, self.notes = record, {}, []
        self.attempts = [dict(a) for a in record.get("attempts") or () if isinstance(a, Mapping)]
        engine = record.get("engine")
        if record.get("figures"):
            self.figures, self.text = [text], ""
        elif text:
            self.problem, self.text = text, ""
        self.computed = bool(self.figures) and engine != "interpreter"
        tried, seconds = len(self.attempts), float(record.get("seconds", 0.0))
        parts = [self.mode]
        if record.get("kept") and not self.figures:
            parts.append(f"kept kernel {record['kept']}")
        if self.figures:
            call = next((str(c.get("call")) for c in record.get("calls") or ()), "")
            parts.append(("kept kernel " if record.get("kept") else "") + one_line(call, _CALL))
        if not record.get("kept"):
            parts.append(f"{tried} attempt{'s' if tried != 1 else ''}")
        if self.figures:
            parts.append(f"{int(record.get('passes', 0)):,} passes")
        where = "by the interpreter" if engine == "interpreter" else "in the network"
        parts += [f"{seconds:.2f} s", f"computed {where}" if self.figures else "no checked figure"]
        self.badge = " · ".join(parts)

    def take_run(self, ran: Ran) -> None:
        """The end of a kernel's turn."""
        self.figures = ran.text.splitlines()
        self.notes += list(ran.notes)
        run = ran.run
        self._badge("run", [run.kernel], run.passes, run.seconds, run.engine, "", ran.folded)
        self.source, self.request = ran.request.text() or "", ran.request
        self.done = True

    def _badge(
        self, verdict: str, calls: Sequence[str], passes: int, seconds: float, engine: str,
        host: str, folded: bool = False,
    ) -> None:  # fmt: skip
        if verdict == "chat":
            self.badge = f"plain chat · {host} · {seconds:.2f} s · not computed"
        elif not calls:
            self.badge = f"{self.mode} · {seconds:.2f} s · nothing computed"
        else:
            where = "by the interpreter" if engine == "interpreter" else "in the network"
            self.computed = bool(self.figures) and not folded and engine != "interpreter"
            how = f"computed {where}" if self.figures else "no figure"
            how = "stored, not computed: the compiler had folded it" if folded else how
            what = "; ".join(one_line(call, _CALL) for call in calls)
            kind = "kernel" if verdict == "run" else self.mode
            self.badge = f"{kind} · {what} · {passes:,} passes · {seconds:.2f} s · {how}"


def kept_turns(messages: Sequence[Message]) -> list[TurnRecord]:
    """The turns of a conversation that was kept."""
    turns: list[TurnRecord] = []
    for message in messages:
        if message.role == "user":
            key = f"{message.conversation}-{message.number}"
            turns.append(TurnRecord(key, message.text, message.mode or "basic", done=True))
        else:
            if not turns or turns[-1].message:
                turns.append(TurnRecord(f"{message.conversation}-{message.number}", "", done=True))
            _answered(turns[-1], message)
    return turns


_ENDS = {"cancelled": "stopped", "interrupted": "the program ended before the answer did",
         "streaming": "still being written by another window"}  # fmt: skip


def _answered(turn: TurnRecord, message: Message) -> None:
    turn.message = message.number
    turn.problem = message.problem if message.state == "failed" else _ENDS.get(message.state, "")
    record: Mapping[str, Any] = message.record or {}
    turn.runs = [_kept_run(name) for name in message.traces]
    if record.get("attempts"):
        _written(turn, message.text, record)
        return
    if message.mode == "advanced" and not record and message.state != "done":
        turn.notes = message.text.splitlines()
        return
    calls = [c for c in record.get("calls") or () if isinstance(c, Mapping)]
    verdict = str(record.get("verdict") or ("calls" if record.get("mode") else "chat"))
    if calls:
        turn.figures = [
            line for line in message.text.splitlines() if line and verdict == "run"
        ] or _figures(message.text, calls)
    elif message.state == "done" and not message.record:
        turn.shown = message.text  # the program's own lines, not the host's Markdown
    else:
        turn.text = message.text
    run = record.get("run") or {}
    turn._badge(
        verdict, [str(c.get("call", "")) for c in calls], int(record.get("passes", 0)),
        float(record.get("seconds", 0.0)), str(record.get("engine", "")),
        str(record.get("host", "")), bool(run.get("folded")),
    )  # fmt: skip
    if not message.record:
        turn.badge = ""
    turn.source = str(record.get("source") or "")
    turn.written = {"task": record["task"]} if record.get("task") else {}


def _written(turn: TurnRecord, text: str, record: Mapping[str, Any]) -> None:
    """An answer of advanced mode, or the attempts of one that did not come."""
    if record.get("task"):
        turn.take_written(text, record)
    else:
        turn.attempts = [dict(a) for a in record["attempts"] if isinstance(a, Mapping)]


def _kept_run(name: str) -> RunRecord:
    """The run of a trace that is kept as `NUMBER-KERNEL.jsonl`."""
    number, _, kernel = name.rpartition(".")[0].partition("-")
    return RunRecord(kernel, kept=name, attempt=int(number) if number.isdigit() else 0)


def _figures(text: str, calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """The lines of an answer that are figures: those of calls that had one."""
    lines = text.splitlines()
    if len(lines) != len(calls):
        return lines if all(c.get("problem") is None for c in calls) else []
    return [line for line, c in zip(lines, calls, strict=True) if c.get("problem") is None]
