"""The parts of a sentence that stand for pieces: "the squares of the odd numbers above {k}".

Numbers stay open as {slot:name}, so that their order in the finished text can be seen.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.advanced.lessons.filling import Chosen, Filled
from assistant.advanced.lessons.pieces import Piece

_PLACE = re.compile(r"\{(\w)(?:\.(\w+))?\}")
_SINGULAR = {
    "are": "is", "have": "has", "do": "does", "can": "can", "cannot": "cannot", "never": "never",
    "go": "goes", "reach": "reaches", "finish": "finishes",
}  # fmt: skip
_THEY = (("themselves", "itself"), ("their own", "its own"), ("their", "its"), ("them", "it"))
# What the two numbers of a relation are called, and both together.
_TWO = {
    "neighbours": (
        ("the earlier one", "the one before", "the first", "the left one", "the previous one"),
        ("the later one", "the one after it", "the second", "the right one", "the next one"),
        ("neighbours", "neighbouring {xs}", "two {xs} in a row", "consecutive {xs}"),
    ),
    "sorted": (
        ("the lower one", "the smaller one", "the one before in sorted order"),
        ("the higher one", "the one above it", "the next one in sorted order"),
        ("neighbours in sorted order", "{xs} next to each other in size",
         "consecutive {xs} after sorting"),
    ),
    "pairs": (
        ("the earlier one", "the one that stands first", "the first of the two"),
        ("the later one", "the one that stands behind", "the second of the two"),
        ("the two", "both {xs}", "the two {xs}"),
    ),
    "two": (
        ("the {x} of the first list", "the one in the first list", "the first list's {x}"),
        ("the {x} of the second list", "the one in the second list", "the second list's {x}"),
        ("the two {xs} at the same place", "corresponding {xs}", "{xs} at equal places"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Phrases:
    """Says the pieces of a task. `x` and `xs` are what the numbers are called."""

    filled: Filled
    x: str
    xs: str
    rng: random.Random

    def put(self, text: str) -> str:
        """`text` with its places filled; what is filled in is looked at again for {x} and {xs}."""
        said = _PLACE.sub(self._place, text.replace("{xs}", self.xs).replace("{x}", self.x))
        return said.replace("{xs}", self.xs).replace("{x}", self.x)

    def can(self, text: str) -> bool:
        """Whether every place of `text` has a form to fill it."""
        for slot, form in _PLACE.findall(text):
            chosen = self.filled.chosen.get(slot)
            related = chosen and chosen.kind == "relation" and form == "that"
            if chosen and related and "that" not in chosen.parts[0].ways:
                return False
        return True

    def _place(self, place: re.Match[str]) -> str:
        slot, form = place[1], place[2] or ""
        if ("", slot) in self.filled.consts:
            return "{:" + slot + "}"
        kind = self.filled.pattern.slots[slot].kind
        chosen = self.filled.chosen.get(slot)
        if kind == "value":
            return self._value(slot, chosen, form)
        if chosen is None:
            return "" if form else self.xs
        if kind == "condition":
            return self._condition(slot, chosen, form)
        if kind == "relation":
            return self._relation(slot, chosen, form)
        return self._form(slot, chosen.parts[0], form or "by", 1)

    def _form(self, slot: str, piece: Piece, form: str, number: int) -> str:
        """A way to say a piece, its constants marked as those of the slot."""
        said = self.rng.choice(piece.ways[form])
        for name in piece.consts:
            said = said.replace("{" + name + "}", "{" + f"{slot}:{name * number}" + "}")
        around = self.filled.pattern.slots[slot].around
        if around:
            one, other, both = (self.rng.choice(names) for names in _TWO[around])
            said = said.replace("{1}", one).replace("{2}", other).replace("{both}", both)
        return said

    # --- conditions -------------------------------------------------------------------------

    def _condition(self, slot: str, chosen: Chosen, form: str) -> str:
        if form == "that":
            return self._predicate(slot, chosen)
        if form == "is":
            return self._predicate(slot, chosen, one=True)
        if form in ("one", "a"):
            said = self._noun(slot, chosen, self.x, one=True)
            article = "an " if said[0] in "aeiou" else "a "
            return (article if form == "a" else "") + said
        return self._noun(slot, chosen, self.xs, one=False)

    def _predicate(self, slot: str, chosen: Chosen, *, one: bool = False) -> str:
        """What is said of several numbers, or of one."""
        said = []
        for number, piece in enumerate(chosen.parts, 1):
            if "adj" in piece.ways and self.rng.random() < 0.5:
                said.append("are " + self._form(slot, piece, "adj", number))
            else:
                said.append(self._form(slot, piece, "that", number))
        return f" {chosen.joined} ".join(singular(part) if one else part for part in said)

    def _noun(self, slot: str, chosen: Chosen, noun: str, *, one: bool) -> str:
        first = chosen.parts[0]
        if chosen.joined == "or":
            return f"{noun} that {self._predicate(slot, chosen, one=one)}"
        if chosen.joined and self.rng.random() < 0.7:
            noun = f"{self._form(slot, first, 'adj', 1)} {noun}"
            return self._described(slot, chosen.parts[1], noun, 2, one=one)
        if chosen.joined:
            return f"{noun} that {self._predicate(slot, chosen, one=one)}"
        if "adj" in first.ways and self.rng.random() < 0.6:
            return f"{self._form(slot, first, 'adj', 1)} {noun}"
        return self._described(slot, first, noun, 1, one=one)

    def _described(self, slot: str, piece: Piece, noun: str, number: int, *, one: bool) -> str:
        """The noun with a clause or a few words behind it."""
        if "after" in piece.ways and self.rng.random() < 0.5:
            said = self._form(slot, piece, "after", number)
            found = re.match(r"(that|which) (are|have|do|stay|read|use|equal|divide) ", said)
            if one and found:
                said = f"{found[1]} {singular(said[len(found[1]) + 1 :])}"
            return f"{noun} {said}"
        said = self._form(slot, piece, "that", number)
        return (
            f"{noun} {self.rng.choice(('that', 'that', 'which'))} {singular(said) if one else said}"
        )

    # --- values and relations ---------------------------------------------------------------

    def _value(self, slot: str, chosen: Chosen | None, form: str) -> str:
        """The {m}: many values of what the condition c lets through."""
        who = self.filled.chosen.get("c")
        if form == "one":
            assert chosen is not None
            return self._form(slot, chosen.parts[0], "one", 1).replace("{x}", "it")
        whom = self._condition("c", who, "") if who else self.xs
        if chosen is None:
            return whom
        said = self._form(slot, chosen.parts[0], "many", 1)
        the = self.rng.choice(("the ", "the ", "all the ", "all ", "")) if who is None else "the "
        if "{xs}" in said:
            return said.replace("{xs}", f"the {whom}")
        return f"{said} of {the}{whom}"

    def _relation(self, slot: str, chosen: Chosen, form: str) -> str:
        piece = chosen.parts[0]
        if form == "only":
            lead = self.rng.choice((", counting only those where ", ", but only where ",
                                    ", restricted to those where "))  # fmt: skip
            return lead + self._form(slot, piece, "where", 1)
        return self._form(slot, piece, form, 1)


def singular(said: str) -> str:
    """A predicate of several, "are even", as one of one, "is even"."""
    verb, _, rest = said.partition(" ")
    for many, one in _THEY:
        rest = re.sub(rf"\b{many}\b", one, rest)
    rest = re.sub(r"\b(and|or) (are|have|do)\b", lambda m: f"{m[1]} {third(m[2])}", rest)
    if verb == "never":
        other, _, rest = rest.partition(" ")
        return f"never {third(other)} {rest}"
    return f"{third(verb)} {rest}".rstrip()


def third(verb: str) -> str:
    """count → counts, multiply → multiplies, pass → passes."""
    if verb in _SINGULAR:
        return _SINGULAR[verb]
    if re.search(r"(s|x|ch|sh|o)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def does(order: str) -> str:
    """An order as what somebody does: "sort the list and add it up" → "sorts the list and adds"."""
    verb, _, rest = order.partition(" ")
    verbs = "|".join(_ORDERS)
    rest = re.sub(rf"\b(and(?: then)?) ({verbs})\b", lambda m: f"{m[1]} {third(m[2])}", rest)
    return f"{third(verb)} {rest}"


_ORDERS = ("give", "count", "find", "add", "subtract", "put", "sum", "list", "wrap", "take", "run")


def consts_of(text: str) -> list[tuple[str, str]]:
    """The open numbers of a text, as (slot, name), in their order."""
    return list(dict.fromkeys(re.findall(r"\{(\w?):(\w+)\}", text)))


def with_numbers(text: str, written: Mapping[tuple[str, str], str]) -> str:
    return re.sub(r"\{(\w?):(\w+)\}", lambda m: written[m[1], m[2]], text)
