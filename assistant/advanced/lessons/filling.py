"""A task with its slots filled: which pieces, which numbers are parameters, and its program."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assistant.advanced.lessons import symbols
from assistant.advanced.lessons.pieces import Pattern, Piece, Slot, pieces

Key = tuple[str, str]  # (slot, name) of a constant; the slot is "" for one of the task itself
_SORT = (
    "__shared__ int sorted[256]; for (int i = 0; i < n; i++) { $pre int v = $m; int j = i; "
    "while (j > 0 && sorted[j - 1] > v) { sorted[j] = sorted[j - 1]; j--; } sorted[j] = v; }"
)
_JOINED = {"and": " && ", "or": " || "}
_USE = re.compile(
    r"\$(?:(?P<whole>sort|pre)\b|if\((?P<test>\w)\)(?:<(?P<pair>[^<>]*)>)?"
    r"|\((?P<closed>\w)\)|(?P<sized>\w)\.size|(?P<name>\w)(?:<(?P<at>[^<>]*)>)?)"
)
_CONST = re.compile(r"\$(\w)")
_SHARE_JOINED = 0.15


@dataclass(frozen=True)
class Chosen:
    """What fills a slot: one piece, or two conditions joined by `and` or `or`."""

    parts: tuple[Piece, ...]
    joined: str = ""

    @property
    def name(self) -> str:
        names = [part.name for part in self.parts]
        return f"{self.joined}({','.join(names)})" if self.joined else names[0]

    @property
    def first(self) -> str:
        return self.parts[0].first

    @property
    def kind(self) -> str:
        return self.parts[0].kind


@dataclass(frozen=True)
class Filled:
    """`consts` maps every constant to its kind; those of the second of two joined conditions have
    a name of two letters."""

    pattern: Pattern
    chosen: Mapping[str, Chosen]
    consts: Mapping[Key, str] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """The task and its pieces, whatever the constants and the wording."""
        return " ".join([self.pattern.name, *(f"{s}={c.name}" for s, c in self.chosen.items())])

    @property
    def parts(self) -> Iterator[Piece]:
        return (part for chosen in self.chosen.values() for part in chosen.parts)

    @property
    def order_free(self) -> bool:
        return self.pattern.order_free and not any(part.ordered for part in self.parts)


def fill(pattern: Pattern, rng: random.Random) -> Filled | None:
    """Pieces for the slots; None when those drawn do not go together."""
    chosen: dict[str, Chosen] = {}
    for name, slot in pattern.slots.items():
        if slot.optional and rng.random() < 0.5:
            continue
        chosen[name] = _choose(slot, rng)
    filled = Filled(pattern, chosen, _consts(pattern, chosen))
    return filled if allowed(filled) else None


def every(pattern: Pattern) -> Iterator[Filled]:
    """Every filling with one piece a slot."""
    ways: list[dict[str, Chosen]] = [{}]
    for name, slot in pattern.slots.items():
        more = [Chosen((piece,)) for piece in pieces(slot.kind)]
        ways = [
            way | put
            for way in ways
            for put in [*({name: one} for one in more), *([{}] if slot.optional else [])]
        ]
    for chosen in ways:
        filled = Filled(pattern, chosen, _consts(pattern, chosen))
        if allowed(filled):
            yield filled


def _choose(slot: Slot, rng: random.Random) -> Chosen:
    known = pieces(slot.kind)
    if slot.kind != "condition" or rng.random() >= _SHARE_JOINED:
        return Chosen((rng.choice(known),))
    plain = [p for p in known if not p.first and p.values <= {"signed", "nonneg"}]
    one = rng.choice([p for p in plain if "adj" in p.ways])
    other = rng.choice([p for p in plain if p.consts or p.place])
    return Chosen((one, other), rng.choice(("and", "and", "or")))


def _consts(pattern: Pattern, chosen: Mapping[str, Chosen]) -> dict[Key, str]:
    found: dict[Key, str] = {("", name): kind for name, kind in pattern.consts.items()}
    for slot, one in chosen.items():
        for number, part in enumerate(one.parts):
            found |= {(slot, name * (number + 1)): kind for name, kind in part.consts.items()}
    return found


def allowed(filled: Filled) -> bool:
    """Whether the pieces go with the task and with each other."""
    pattern, chosen = filled.pattern, filled.chosen
    for rule in pattern.forbidden:
        for slot, name in rule.items():
            if slot in chosen and any(_named(part, name) for part in chosen[slot].parts):
                return False
    firsts = {one.first for one in chosen.values() if one.first}
    if len(firsts) > 1 or (firsts and pattern.simple):
        return False
    if len(chosen) > 1 and len({one.name for one in chosen.values()}) < len(chosen):
        return False
    return pattern.lists != 0 or not any(part.ordered for part in filled.parts)


def _named(part: Piece, name: str) -> bool:
    return part.name == name or (name == "place" and part.place) or (
        name == "ordered" and part.ordered
    )  # fmt: skip


def program(filled: Filled, names: Mapping[Key, str]) -> str:
    """The body of the kernel; `names` are the constants as they stand in it: a parameter's name
    or a number."""
    writer = _Writer(filled, names)
    return symbols.text(symbols.symbols(writer.expanded(filled.pattern.code)))


def output(filled: Filled, names: Mapping[Key, str]) -> str:
    """Which numbers of `out` are the result, as in out[0..n-3]."""
    said = _Writer(filled, names).expanded(filled.pattern.output)
    found = re.fullmatch(r"out\[0\.\.(.+)\]", said)
    if found is None or "out[0]" in found[1]:
        return said
    terms = re.findall(r"[-+]?[^-+]+", found[1])
    known = sum(int(t) for t in terms if t.lstrip("+-").isdigit())
    named = "".join(t for t in terms if not t.lstrip("+-").isdigit())
    last = f"{named}{known:+}" if named and known else named or str(known)
    return f"out[0..{last}]" if last != "0" else "out[0]"


@dataclass(frozen=True)
class _Writer:
    filled: Filled
    names: Mapping[Key, str]

    def expanded(self, code: str) -> str:
        return _USE.sub(self._put, code)

    def _put(self, use: re.Match[str]) -> str:
        pattern = self.filled.pattern
        if use["whole"] == "sort":
            way = _SORT if pattern.sorted == "up" else _SORT.replace("> v", "< v")
            return self.expanded(way)
        if use["whole"]:
            return self._first()
        if use["test"]:
            code = self.code(use["test"], use["pair"] or pattern.element)
            return f"if ({code})" if code else ""
        if use["closed"]:
            code = self.code(use["closed"], pattern.element)
            return f"({code})" if "&&" in code or "||" in code else code
        if use["sized"]:
            return self._numbers(use["sized"], self.filled.chosen[use["sized"]].parts[0].size, 1)
        name = use["name"]
        if ("", name) in self.names:
            return self.names["", name] + (f"<{use['at']}>" if use["at"] else "")
        at = use["at"] or pattern.element
        return self.code(name, at) or self.expanded(at)

    def code(self, slot: str, at: str) -> str:
        """The expression of a slot at an element, or at two ("a[i];b[i]"); empty for an empty
        slot."""
        chosen = self.filled.chosen.get(slot)
        if chosen is None:
            return ""
        at = _CONST.sub(lambda m: self.names["", m[1]], at)
        found = []
        for number, part in enumerate(chosen.parts, 1):
            code = self._numbers(slot, part.code, number)
            one, _, other = at.partition(";")
            code = code.replace("@1", one).replace("@2", other) if other else code
            code = code.replace("@", at)
            composite = len(chosen.parts) > 1 and "||" in code and chosen.joined == "and"
            found.append(f"({code})" if composite else code)
        return _JOINED[chosen.joined].join(found) if chosen.joined else found[0]

    def _first(self) -> str:
        """What comes before: once, though two slots need it."""
        for slot, chosen in self.filled.chosen.items():
            if chosen.first:
                at = _CONST.sub(lambda m: self.names["", m[1]], self.filled.pattern.element)
                return self._numbers(slot, chosen.first, 1).replace("@", at)
        return ""

    def _numbers(self, slot: str, code: str, number: int) -> str:
        return _CONST.sub(lambda m: self.names[slot, m[1] * number], code)
