"""Calls in words, as an answer puts them in front of their figures: prompts/answers.yaml."""

from __future__ import annotations

import functools
from typing import Any

import prompts
from assistant.router import Call
from assistant.router.routed import shortened

_MOST = 120  # characters
_NO_SECONDS = ":00"


@functools.cache
def _phrases() -> dict[str, str]:
    return dict(prompts.parsed(prompts.text("answers.yaml")))


def words(call: Call) -> str:
    """ "17% of 2,340" for percent(17, 2340)."""
    import codegen

    names = [arg.name for arg in codegen.catalog()[call.kernel].args]
    given: dict[str, str] = {n: _shown(v) for n, v in zip(names, call.args, strict=True)}
    for number in ("", "1", "2"):
        date = [given.get(part + number) for part in "ymd"]
        time = [given.get(part + number) for part in "hms"]
        if None not in date:
            given["d" + number] = "{}-{:0>2}-{:0>2}".format(*(p for p in date if p))
        if None not in time:
            parts = [part for part in time if part]
            span = "{}:{:0>2}:{:0>2}".format(*parts)
            # Of two times either may be a span; a single one is a time of day.
            given["t" + number] = span if number else span.removesuffix(_NO_SECONDS)
    return shortened(_phrases()[call.kernel].format(**given), _MOST)


def _shown(value: Any) -> str:
    if isinstance(value, Call):
        inner = words(value)
        return f"({inner})" if " " in inner else inner
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    # Four digits stand as they are: many are years.
    return f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else str(value)
