"""Lessons: endless tasks as a user would write them, each with the one program that is theirs.

The same seed gives the same lessons. Whole families (a task with its pieces, in whatever wording
and with whatever numbers) are held out from training: `held_out`.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assistant.advanced import task as tasks
from assistant.advanced.lessons import data, filling, phrases, pieces, speech, symbols
from assistant.advanced.lessons.data import Domain
from assistant.advanced.lessons.filling import Filled, Key
from assistant.advanced.lessons.pieces import Pattern, patterns
from assistant.advanced.signature import OUT, Parameter, Signature
from assistant.advanced.task import Task, Value
from assistant.router.numbers import Reading, read
from vgpu.errors import InputError

HELD_OUT = 12  # one family in so many
_SALT = "a"  # with it every piece and every task is in some family that is not held out
_SCALARS = ("k", "x", "y", "z")
_TRIES = 40
_LITERALS = frozenset(symbols.NUMBERS)
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
          "eleven", "twelve")  # fmt: skip


@dataclass(frozen=True)
class Lesson:
    """`places` are the constants as they stand in the program: a parameter's name, or a number.
    `chat`: the signature is the one that a plain message gets, all its numbers parameters."""

    filled: Filled
    task: Task
    places: Mapping[Key, str]
    output: str
    body: str
    known: Domain
    chat: bool

    @property
    def family(self) -> str:
        return self.filled.family

    @property
    def order_free(self) -> bool:
        return self.filled.order_free

    @property
    def last(self) -> list[str]:
        """How far the result goes, out[0..last], as symbols."""
        return symbols.symbols(self.output[len("out[0..") : -1] if ".." in self.output else "0")

    @property
    def row(self) -> list[str]:
        """The body as symbols."""
        return symbols.symbols(self.body)

    @property
    def source(self) -> str:
        """The whole kernel."""
        return source(self.task.signature, self.body)

    def consts(self, inputs: Mapping[str, Value]) -> dict[Key, int]:
        """The constants, where parameters have the values that `inputs` gives them."""
        found: dict[Key, int] = {}
        for key, place in self.places.items():
            value = inputs.get(place) if place in inputs else int(place.replace(" ", ""))
            assert isinstance(value, int)
            found[key] = value
        return found

    def other_inputs(self, rng: random.Random, length: int = 0) -> dict[str, Value]:
        """Other data for the same program: lists, and what its parameters are."""
        lists = self.known.lists(self.filled.pattern.lists, rng, length)
        fresh = data.constants(self.filled, self.known, lists, rng)
        names = {place: fresh[key] for key, place in self.places.items()}
        inputs: dict[str, Value] = {}
        for name, value in self.task.inputs.items():
            if isinstance(value, list):
                inputs[name] = lists["ab".index(name)]
            else:
                inputs[name] = len(lists[0]) if name == "n" else names.get(name, value)
        return inputs


def source(signature: Signature, body: str) -> str:
    """A kernel in which one thread does all."""
    return wrapped(signature, symbols.text(symbols.symbols(body), depth=2))


def wrapped(signature: Signature, lines: str) -> str:
    """The same around lines that are laid out already."""
    return f"{signature} {{\n    if (threadIdx.x == 0) {{\n{lines}    }}\n}}\n"


def held_out(family: str) -> bool:
    """Whether a family is for evaluation only. Families without pieces never are: what they are
    made of is nowhere else."""
    return "=" in family and zlib.crc32((_SALT + family).encode()) % HELD_OUT == 0


def lessons(seed: int) -> Iterator[Lesson]:
    """Lessons without end, held-out families among them."""
    rng = random.Random(seed)
    known = patterns()
    weights = [pattern.weight for pattern in known]
    while True:
        found = lesson(rng.choices(known, weights)[0], rng)
        if found is not None:
            yield found


def lesson(pattern: Pattern, rng: random.Random) -> Lesson | None:
    """A lesson of a task with pieces drawn at random; None when they do not go together."""
    filled = filling.fill(pattern, rng)
    return of_filled(filled, rng) if filled else None


def of_filled(filled: Filled, rng: random.Random, *, chat: bool | None = None) -> Lesson | None:
    """A wording and data for a filled task. None when a message with them would be read
    otherwise than meant, again and again."""
    for _ in range(_TRIES):
        known = data.domain(filled, rng)
        if known is None:
            return None
        plain = rng.random() < 0.5 if chat is None else chat
        made = _made(filled, known, plain, rng)
        if made is not None:
            return made
    return None


def _made(filled: Filled, known: Domain, chat: bool, rng: random.Random) -> Lesson | None:
    lists = known.lists(filled.pattern.lists, rng)
    values = data.constants(filled, known, lists, rng)
    if forbidden(filled, values) or (lists and len(lists[0]) in values.values()):
        return None
    said = speech.say(filled, known, rng)
    order = phrases.consts_of(said.text)
    if chat:
        fixed = {key: str(values[key]) for key, kind in filled.consts.items() if kind == "none"}
        written = {key: str(values[key]) for key in order}
    else:
        fixed = _fixed(filled, values, rng)
        written = {key: _written(values[key], key in fixed, rng) for key in order}
    question = _question(said.text, written, lists, rng)
    reading = read(question)
    if [[n.value for n in i.numbers] for i in reading.items if i.kind != "scalar"] != lists:
        return None
    task = _task_of(question) if chat else _task(filled, reading, lists, values, order, fixed)
    if task is None or len(question) > tasks.MOST_CHARACTERS:
        return None
    places = fixed | _places(task, {k: v for k, v in values.items() if k not in fixed})
    if set(places) != set(values) or not all(_short(place) for place in places.values()):
        return None
    body = filling.program(filled, places)
    if len(symbols.symbols(body)) > symbols.MOST_SYMBOLS:
        return None
    return Lesson(filled, task, places, filling.output(filled, places), body, known, chat)


def _short(place: str) -> bool:
    return place in _SCALARS or int(place) in _LITERALS or place == "-1"


def forbidden(filled: Filled, values: Mapping[Key, int]) -> bool:
    """Whether a number makes the task one that it must not be."""
    return any(
        values.get(("", name)) == number
        for rule in filled.pattern.forbidden
        for name, number in rule.items()
        if isinstance(number, int)
    )


def _fixed(filled: Filled, values: Mapping[Key, int], rng: random.Random) -> dict[Key, str]:
    """The constants that stand in the program as numbers."""
    # The own numbers of a task without a list are its data.
    own = {key for key in values if key[0] == "" and filled.pattern.lists == 0}
    found = {}
    for key, value in values.items():
        wanted = rng.random() < 0.6 or filled.consts[key] == "none"
        if wanted and key not in own and (value in _LITERALS or value == -1):
            found[key] = str(value)
    return found


def _written(value: int, fixed: bool, rng: random.Random) -> str:
    if fixed and 0 <= value < len(_WORDS) and rng.random() < 0.3:
        return _WORDS[value]
    return str(value)


def _question(
    text: str, written: Mapping[Key, str], lists: list[list[int]], rng: random.Random
) -> str:
    text = phrases.with_numbers(text, written)
    style = rng.choice(pieces.speech()["joined"])
    for name, values in zip(("{data}",) if len(lists) < 2 else ("{first}", "{second}"), lists,
                            strict=False):  # fmt: skip
        bare = f"[{name}]" in text
        text = text.replace(name, _listed(values, style, bare))
    return text


def _listed(values: list[int], style: str, bracketed: bool) -> str:
    written = list(map(str, values))
    if style == ", and":
        return f"{', '.join(written[:-1])} and {written[-1]}" if len(written) > 2 else _all(written)
    if len(values) < 3 and not bracketed:
        return _all(written)
    return style.join(written)


def _all(written: list[str]) -> str:
    return f"[{', '.join(written)}]"


def _task_of(question: str) -> Task | None:
    try:
        return tasks.read_task(question)
    except InputError:
        return None


def _task(
    filled: Filled, reading: Reading, lists: list[list[int]], values: Mapping[Key, int],
    order: list[Key], fixed: Mapping[Key, str],
) -> Task | None:  # fmt: skip
    """The task with a signature of its own, as in a file of tasks: the constants that are not in
    the program, in the order of the text."""
    inputs: dict[str, Value] = {}
    parameters: list[Parameter] = []
    for name, values_of in zip("ab", lists, strict=False):
        inputs[name] = values_of
        parameters.append(Parameter(name, "int", True, True))
        if "n" not in inputs:
            inputs["n"] = len(values_of)
            parameters.append(Parameter("n"))
    open_ = [key for key in order if key not in fixed]
    if len(open_) > len(_SCALARS):
        return None
    for name, key in zip(_SCALARS, open_, strict=False):
        inputs[name] = values[key]
        parameters.append(Parameter(name))
    parameters.append(Parameter(OUT, "int", True))
    signature = Signature(_name(filled), tuple(parameters))
    return Task(reading.text, tasks.said(reading, inputs), signature, inputs)


def _name(filled: Filled) -> str:
    return "_".join([filled.pattern.name, *(p.name for p in filled.parts)])


def _places(task: Task, values: Mapping[Key, int]) -> dict[Key, str]:
    """The parameters that hold the constants; a number where none does."""
    scalars = {value: name for name, value in task.inputs.items() if name in _SCALARS}
    return {key: scalars.get(value) or str(value) for key, value in values.items()}
