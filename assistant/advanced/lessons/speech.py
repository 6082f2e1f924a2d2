"""A task as a person would write it: a core sentence, the data, and what is said besides."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.advanced.lessons.data import Domain
from assistant.advanced.lessons.filling import Filled
from assistant.advanced.lessons.phrases import Phrases, does
from assistant.advanced.lessons.pieces import speech, ways

_FORMS = ("name", "name", "ask", "ask", "do", "do", "do")
_WRITTEN = ("", "", "", " Write a kernel.", " Please write a kernel and run it.",
            " Write a CUDA kernel for this.", " Use a kernel.")  # fmt: skip


@dataclass(frozen=True)
class Said:
    """`text` has {data}, or {first} and {second}, where lists stand, and {slot:name} for other
    numbers; `asked` is the form of the request."""

    text: str
    asked: str


def say(filled: Filled, known: Domain, rng: random.Random) -> Said:
    """One wording of a task, drawn at random."""
    texts = speech()
    context = _context(filled.pattern.lists, known, rng)
    phrases = Phrases(filled, context["x"], context["xs"], rng)
    form, request = _request(phrases, rng)
    core = _core(form, request, rng)
    core += _besides(phrases, known, rng)
    lists = filled.pattern.lists
    if lists == 0:
        text = core
    elif lists == 2:
        given = rng.choice(texts["two_lists"])
        text = f"{given} {core}" if rng.random() < 0.6 else f"{core} {given}"
    else:
        given = rng.choice(ways(context["given"]))
        text = _placed(core, given, rng)
    text = phrases.put(text)
    if rng.random() < 0.15:
        text += " " + rng.choice(texts["remarks"])
    return Said(" ".join(text.split()), form)


def _context(lists: int, known: Domain, rng: random.Random) -> dict[str, str]:
    contexts = speech()["contexts"]
    if lists == 0:
        return dict(rng.choice(contexts[:2]))
    if rng.random() < 0.45:
        return dict(contexts[0])
    fitting = [c for c in contexts if known.low >= 0 or "sign" not in c]
    return dict(rng.choice(fitting))


def _request(phrases: Phrases, rng: random.Random) -> tuple[str, str]:
    """(form, words) of what is wanted."""
    options: Sequence[str] = ()
    while not options:
        form = rng.choice(_FORMS)
        options = [o for o in phrases.filled.pattern.say[form] if phrases.can(o)]
    return form, phrases.put(rng.choice(options))


def _core(form: str, request: str, rng: random.Random) -> str:
    frame = rng.choice(speech()[form])
    request = request.rstrip(",") if frame.endswith(("}?", "}.")) else request
    text = frame.replace("{" + form + "}", request).replace("{does}", does(request))
    if "kernel" not in text and "program" not in text.lower() and "CUDA" not in text:
        text += rng.choice(_WRITTEN)
    return re.sub(r",([.?])", r"\1", text[0].upper() + text[1:])


def _besides(phrases: Phrases, known: Domain, rng: random.Random) -> str:
    """Notes that have to be there, and some that may."""
    filled, texts = phrases.filled, speech()
    notes = [rng.choice(filled.pattern.must)] if filled.pattern.must else []
    if filled.pattern.notes and rng.random() < 0.35:
        notes.append(rng.choice(filled.pattern.notes))
    about = [note for part in filled.parts for note in part.notes]
    if about and rng.random() < 0.3:
        notes.append(rng.choice(about))
    sign = "nonneg" if known.low >= 0 else "signed"
    if filled.pattern.lists and rng.random() < 0.15:
        notes.append(rng.choice(texts[sign]))
    said = ""
    for note in map(phrases.put, notes):
        if rng.random() < 0.3:
            said += f" ({note[0].lower()}{note[1:].rstrip('.')}.)"
        else:
            said += f" {note}"
    return said


def _placed(core: str, given: str, rng: random.Random) -> str:
    """The core and the data of one list."""
    where = speech()["where"]
    simple = re.fullmatch(r"[^.?!]+[.?]", core) is not None
    frame = rng.choice(
        where[rng.choice(("before", "before", "after", "end" if simple else "after"))]
    )
    lower = core if core.startswith(("I ", "I'", "CUDA")) else core[0].lower() + core[1:]
    return str(
        frame.replace("{given}", given).replace("{Core}", core).replace("{core}", lower)
        .replace("{Open}", core[:-1])
    )  # fmt: skip
