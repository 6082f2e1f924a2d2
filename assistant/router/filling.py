"""From the calls that a router wrote to calls with values, or to the reason why there are none.

What a router writes points at places of the message; here the values that stand there are put in.
Both routers end here, so that what they answer has one form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from assistant.router.again import Unlike, again
from assistant.router.calls import (
    FOLLOW,
    LIST,
    NONE,
    OTHER,
    SAME,
    Apply,
    Constant,
    Expression,
    Name,
)  # fmt: skip
from assistant.router.numbers import read
from assistant.router.places import Message, Place, message
from assistant.router.routed import Before, Call, Routed, Span, shortened, too_long
from assistant.router.symbols import Signature

_MOST_WORDS = 200
_WORDS = re.compile(r"\w+|[^\w\s]")
# Three arguments of a kernel that one date or one time gives.
_TOGETHER: dict[tuple[str, ...], str] = {("y", "m", "d"): "date", ("h", "m", "s"): "time"}


class Unread(Exception):
    """A place that a call points at has no value that the kernel takes; the text says which."""


@cache
def signatures() -> Mapping[str, Signature]:
    """What the prebuilt kernels take, three numbers of a date or a time as one."""
    import codegen

    found = {}
    for name, kernel in codegen.catalog().items():
        kinds: list[str] = []
        at = 0
        while at < len(kernel.args):
            letters = tuple(arg.name.rstrip("12") for arg in kernel.args[at : at + 3])
            kinds.append(_TOGETHER.get(letters, kernel.args[at].kind))
            at += 3 if letters in _TOGETHER else 1
        found[name] = Signature(tuple(kinds), kernel.result)
    return found


def asked(question: str, router: str, most: int) -> Message | Routed:
    """The message as it is read, or the answer to one that is too long or empty."""
    if len(question) > most:
        return too_long(router, f"{len(question):,} characters, at most {most:,}")
    found = message(read(question))
    words = len(_WORDS.findall(found.text))
    if words > _MOST_WORDS:
        return too_long(router, f"{words:,} words and marks, at most {_MOST_WORDS}")
    return found if found.text.strip() else Routed("chat", (), router, 1.0)


def filled(
    answers: Sequence[Expression],
    said: Message,
    before: Before | None,
    *,
    router: str,
    confidence: float,
    threshold: float,
    skipped: int = 0,
) -> Routed:
    """The verdict that a router's answers come to. With `before`, `said` begins with what was put
    before the message, `skipped` characters."""

    def declined(reason: str) -> Routed:
        return Routed("unsure", (), router, confidence, reason)

    if not answers:
        return declined("no reading of it holds together")
    if answers == (Name(NONE),):
        return Routed("chat", (), router, confidence)
    if answers == (Name(OTHER),):
        return declined("it asks for a figure that no kernel here computes")
    if answers == (Name(FOLLOW),):
        return declined("it leans on a figure before it, and there is none")
    try:
        calls = tuple(_whole(answer, said, before, skipped) for answer in answers)
    except (Unread, Unlike) as reason:
        return declined(str(reason))
    if confidence < threshold:
        best = shortened("; ".join(map(str, calls)), 200)
        return declined(f"I am not sure; my best reading is {best}, at {confidence:.0%}")
    return Routed("calls", calls, router, confidence)


def _whole(answer: Expression, said: Message, before: Before | None, skipped: int) -> Call:
    assert isinstance(answer, Apply), "the grammar begins every answer with a kernel"
    if answer.kernel == SAME:
        assert before is not None, "the grammar has no `same` without a call before"
        places = [said.places[int(a.text[1:])] for a in answer.args if isinstance(a, Name)]
        call = again(before.call, places)
        return _shifted(call, skipped, kept=before.call)
    return _shifted(call_of(answer, said), skipped)


def _shifted(call: Call, by: int, kept: Call | None = None) -> Call:
    """Spans as offsets into the question: `by` characters were put before it. What stands in
    those, or comes from the call `kept`, has no span."""
    if not by:
        return call
    spans = []
    for index, own in enumerate(call.spans):
        old = kept is not None and kept.spans[index] == own
        spans.append(() if old else tuple((a - by, b - by) for a, b in own if a >= by))
    args = tuple(
        _shifted(arg, by, kept.args[index] if kept is not None else None)
        if isinstance(arg, Call)
        else arg
        for index, arg in enumerate(call.args)
    )
    return Call(call.kernel, args, tuple(spans))


def call_of(expression: Apply, said: Message) -> Call:
    """The call with its values. Raises Unread."""
    kinds = signatures()[expression.kernel].args
    args: list[Any] = []
    spans: list[tuple[Span, ...]] = []
    for kind, arg in zip(kinds, expression.args, strict=True):
        value, places = _argument(arg, kind, said)
        together = kind in ("date", "time")
        args += value if together else [value]
        spans += [places] * (len(value) if together else 1)
    return Call(expression.kernel, tuple(args), tuple(spans))


def _argument(arg: Expression, kind: str, said: Message) -> tuple[Any, tuple[Span, ...]]:
    """The value of an argument, and where in the message it stands."""
    if isinstance(arg, Constant):
        return arg.value, ()
    if isinstance(arg, Name):
        place = said.places[int(arg.text[1:])]
        return _value(place, kind), place.spans
    if arg.kernel == LIST:
        items = [_argument(item, "int", said) for item in arg.args]
        return [value for value, _ in items], tuple(span for _, spans in items for span in spans)
    call = call_of(arg, said)
    return call, tuple(_all_spans(call))


def _all_spans(call: Call) -> Iterator[Span]:
    for spans in call.spans:
        yield from spans


def _value(place: Place, kind: str) -> Any:
    if kind == "digits":
        return place.text.lower()
    if place.value is None:
        text = shortened(place.text)
        if "." in text:
            raise Unread(f"{text} is not a whole number, and whole ones are all that is computed "
                         "here (an amount can be given in cents)")  # fmt: skip
        raise Unread(f"{text} cannot be read as a whole number")
    return list(place.value) if kind in ("date", "time") else place.value
