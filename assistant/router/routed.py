"""What a router answers, whichever way it decides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from codegen.composition import Nested

Span = tuple[int, int]
# calls: run them.  chat: nothing to compute.  unsure: it declines, `reason` says why.
Verdict = Literal["calls", "chat", "unsure"]


@dataclass(frozen=True)
class Call:
    """A kernel call. An argument is a value, another call, or a list that holds some; `spans[i]`
    are the places in the message that argument i was read from."""

    kernel: str
    args: tuple[Any, ...]
    spans: tuple[tuple[Span, ...], ...]

    def __str__(self) -> str:
        return f"{self.kernel}({', '.join(map(_shown, self.args))})"

    def record(self) -> dict[str, Any]:
        """The call in JSON; calls inside it have the same form."""
        return {
            "call": str(self), "kernel": self.kernel, "args": [_recorded(a) for a in self.args],
            "spans": [[list(span) for span in spans] for spans in self.spans],
        }  # fmt: skip

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Call:
        """The call of a record. Raises KeyError or TypeError when it is none."""
        args = tuple(map(_restored, record["args"]))
        spans = tuple(tuple((a, b) for a, b in spans) for spans in record["spans"])
        return cls(record["kernel"], args, spans)

    def nested(self) -> Nested:
        """The call as the machine's side takes it."""
        from codegen.composition import Nested

        return Nested(self.kernel, tuple(map(_nested, self.args)))


def _restored(arg: Any) -> Any:
    if isinstance(arg, dict):
        return Call.of(arg)
    return [_restored(item) for item in arg] if isinstance(arg, list) else arg


def _recorded(arg: Any) -> Any:
    if isinstance(arg, Call):
        return arg.record()
    return [_recorded(item) for item in arg] if isinstance(arg, list) else arg


def _nested(arg: Any) -> Any:
    if isinstance(arg, Call):
        return arg.nested()
    return [_nested(item) for item in arg] if isinstance(arg, list) else arg


def _shown(arg: Any) -> str:
    return f"[{', '.join(map(_shown, arg))}]" if isinstance(arg, list) else str(arg)


@dataclass(frozen=True)
class Routed:
    """A routing decision; `confidence` is the probability the router gives it, 0 to 1."""

    verdict: Verdict
    calls: tuple[Call, ...]
    router: str
    confidence: float
    reason: str = ""


@dataclass(frozen=True)
class Before:
    """The last figure of a conversation, and the call that gave it: what "that" means."""

    figure: str
    call: Call

    @property
    def words(self) -> str:
        """How it is put before a message that leans on it."""
        return f"Before: {self.figure}. "

    def put_before(self, question: str) -> str:
        """Both as one message. After a figure "-12" takes away, so its sign stands apart."""
        return self.words + re.sub(r"^([-−+])(?=\d)", r"\1 ", question.lstrip())


def shortened(text: str, most: int = 40) -> str:
    """A long text keeps its beginning and its end."""
    return text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 2 :]}"


def too_long(router: str, measure: str) -> Routed:
    """The answer to a question that is longer than a router reads; `measure` says by what."""
    return Routed("unsure", (), router, 0.0, f"the question is too long ({measure} can be read)")


class Router(Protocol):
    """Anything that turns a question into calls. It never sees an answer."""

    def route(self, question: str, before: Before | None = None) -> Routed: ...
