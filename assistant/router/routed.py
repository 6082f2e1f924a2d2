"""What a router answers, whichever way it decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from assistant.router.patterns import Span

if TYPE_CHECKING:
    from codegen.composition import Nested

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

    def nested(self) -> Nested:
        """The call as the machine's side takes it."""
        from codegen.composition import Nested

        return Nested(self.kernel, tuple(map(_nested, self.args)))


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


def too_long(router: str, measure: str) -> Routed:
    """The answer to a question that is longer than a router reads; `measure` says by what."""
    return Routed("unsure", (), router, 0.0, f"the question is too long ({measure} can be read)")


class Router(Protocol):
    """Anything that turns a question into calls. It never sees an answer."""

    def route(self, question: str) -> Routed: ...
