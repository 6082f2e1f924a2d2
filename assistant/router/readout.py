"""The "readout" router: a small network writes the calls from the host's hidden states.

The host reads the message with its numbers in fixed forms; what is asked, and which number has
which part in it, comes from its hidden states alone (`assistant.router.reader`). The values are
put in last, so the router cannot know an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import torch

from assistant.router.calls import LIST, NONE, OTHER, Apply, Constant, Expression, Name
from assistant.router.numbers import read
from assistant.router.patterns import Span, shortened
from assistant.router.places import Message, Place, message
from assistant.router.reader import Reader, encoded
from assistant.router.routed import Call, Routed, too_long
from assistant.router.symbols import Grammar, Signature

NAME = "readout"
_MOST_CHARACTERS = 20_000
_MOST_WORDS = 200
_WORDS = re.compile(r"\w+|[^\w\s]")
# Three arguments of a kernel that one date or one time gives.
_TOGETHER = {("y", "m", "d"): "date", ("h", "m", "s"): "time"}


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
            kinds.append(_TOGETHER.get(letters, kernel.args[at].kind))  # type: ignore[call-overload]
            at += 3 if letters in _TOGETHER else 1
        found[name] = Signature(tuple(kinds), kernel.result)
    return found


class ReadoutRouter:
    """Routes one question: one forward pass of the host's lower half, then a few symbols."""

    def __init__(self, host: Any, reader: Reader, adapter: Any, threshold: float) -> None:
        self._host, self._reader, self._adapter = host, reader, adapter
        self._threshold = threshold
        constants = [word for word in reader.vocabulary if word.startswith("=")]
        self._grammar = Grammar(signatures(), constants)

    def route(self, question: str) -> Routed:
        if len(question) > _MOST_CHARACTERS:
            return too_long(NAME, f"{len(question):,} characters, at most {_MOST_CHARACTERS:,}")
        asked = message(read(question))
        words = len(_WORDS.findall(asked.text))
        if words > _MOST_WORDS:
            return too_long(NAME, f"{words:,} words and marks, at most {_MOST_WORDS}")
        if not asked.text.strip():
            return Routed("chat", (), NAME, 1.0)
        with torch.inference_mode():
            ((states, offsets),) = self._host.read([asked.text], self._adapter)
            row, confidence = self._reader.write(
                encoded(asked, states, offsets), asked.places, self._grammar
            )

        def declined(reason: str) -> Routed:
            return Routed("unsure", (), NAME, confidence, reason)

        if not row:
            return declined("no reading of it holds together")
        answers = self._grammar.read(row)
        if answers == (Name(NONE),):
            return Routed("chat", (), NAME, confidence)
        if answers == (Name(OTHER),):
            return declined("it asks for a figure that no kernel here computes")
        try:
            calls = tuple(call_of(answer, asked) for answer in answers)
        except Unread as unread:
            return declined(str(unread))
        if confidence < self._threshold:
            best = shortened("; ".join(map(str, calls)), 200)
            return declined(f"my best reading is {best}, at {confidence:.0%}")
        return Routed("calls", calls, NAME, confidence)


def call_of(expression: Expression, asked: Message) -> Call:
    assert isinstance(expression, Apply), "the grammar begins every answer with a kernel"
    kinds = signatures()[expression.kernel].args
    args: list[Any] = []
    spans: list[tuple[Span, ...]] = []
    for kind, arg in zip(kinds, expression.args, strict=True):
        value, places = _argument(arg, kind, asked)
        together = kind in ("date", "time")
        args += value if together else [value]
        spans += [places] * (len(value) if together else 1)
    return Call(expression.kernel, tuple(args), tuple(spans))


def _argument(arg: Expression, kind: str, asked: Message) -> tuple[Any, tuple[Span, ...]]:
    """The value of an argument, and where in the message it stands."""
    if isinstance(arg, Constant):
        return arg.value, ()
    if isinstance(arg, Name):
        place = asked.places[int(arg.text[1:])]
        return _value(place, kind), place.spans
    if arg.kernel == LIST:
        items = [_argument(item, "int", asked) for item in arg.args]
        return [value for value, _ in items], tuple(span for _, spans in items for span in spans)
    call = call_of(arg, asked)
    return call, tuple(_all_spans(call))


def _all_spans(call: Call) -> Iterator[Span]:
    for spans in call.spans:
        yield from spans


def _value(place: Place, kind: str) -> Any:
    if kind == "digits":
        return place.text.lower()
    if place.value is None:
        what = "is not" if "." in place.text else "cannot be read as"
        raise Unread(f"{shortened(place.text)} {what} a whole number")
    return list(place.value) if kind in ("date", "time") else place.value
