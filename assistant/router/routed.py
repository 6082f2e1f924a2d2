"""What a router answers, whichever way it decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from assistant.router.patterns import Span

# calls: run them.  chat: nothing to compute.  unsure: it declines, `reason` says why.
Verdict = Literal["calls", "chat", "unsure"]


@dataclass(frozen=True)
class Call:
    """A kernel call. `spans[i]` are the places in the message that argument i was read from."""

    kernel: str
    args: tuple[Any, ...]
    spans: tuple[tuple[Span, ...], ...]

    def __str__(self) -> str:
        return f"{self.kernel}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class Routed:
    """A routing decision; `confidence` is the probability the router gives it, 0 to 1."""

    verdict: Verdict
    calls: tuple[Call, ...]
    router: str
    confidence: float
    reason: str = ""


class Router(Protocol):
    """Anything that turns a question into calls. It never sees an answer."""

    def route(self, question: str) -> Routed: ...
