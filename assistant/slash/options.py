"""The options of `/run` and of a pasted kernel's first line: those of `assistant run`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import Final

from assistant.launch import Launch
from assistant.launch_args import whole
from assistant.nearest import did_you_mean
from vgpu.errors import InputError

ONCE: Final = ("--kernel", "--grid", "--block", "--shared", "--max-passes")
MANY: Final = ("--in", "--out", "--set")
ALL: Final = (*MANY, *ONCE)


@dataclass(frozen=True)
class RunOptions:
    kernel: str | None = None
    launch: Launch = field(default_factory=lambda: Launch((1, 1, 1), (1, 1, 1), 0))
    max_passes: int | None = None

    @property
    def has_arguments(self) -> bool:
        return bool(self.launch.ins or self.launch.outs or self.launch.sets)


def words_of(text: str) -> list[str]:
    """The words of a line, quotes taken off. Raises InputError on a quote that is left open."""
    try:
        return shlex.split(text)
    except ValueError:
        raise InputError(f"{text}: a quote is not closed") from None


def parse_options(words: list[str]) -> RunOptions:
    """Options from their words. Raises InputError that names the wrong one and the nearest."""
    once: dict[str, str] = {}
    many: dict[str, list[str]] = {name: [] for name in MANY}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            raise InputError(f'"{word}": expected an option: {", ".join(ALL)}')
        if name not in ALL:
            raise InputError(f"unknown option {name}{did_you_mean(name, ALL)}")
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise InputError(f"{name}: expected a value after it")
            value = rest.pop(0)
        if name in MANY:
            many[name].append(value)
        elif name in once:
            raise InputError(f"{name} is given twice")
        else:
            once[name] = value
    launch = Launch.of(
        once.get("--grid"), once.get("--block"), once.get("--shared"), *many.values()
    )
    return RunOptions(once.get("--kernel"), launch, _passes(once.get("--max-passes")))


def _passes(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        passes = whole(text)
    except ValueError:
        passes = 0
    if passes < 1:
        raise InputError(f"--max-passes {text}: expected a whole number, at least 1")
    return passes
