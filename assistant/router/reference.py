"""docs/routing.md: how a message becomes calls, and how well, from the shipped read-out itself.

Written by `python -m assistant.router.reference`; a test compares it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from assistant.reading import kept
from assistant.router import corpus
from assistant.router.opening import CAPABLE, WEIGHTS

PATH: Final = Path(__file__).parents[2] / "docs" / "routing.md"
_MOST_FAMILIES = 40
_HEAD: Final = """\
# Routing: from a message to calls

Made by `python -m assistant.router.reference`; do not edit.

The host decides what is computed; the machine computes it. A router turns a message into calls of
the [prebuilt kernels](kernels.md), nested ones too, in the order in which they are asked for, or
says that there is nothing to compute (`none`), that no kernel gives it (`other`), or that it
leans on an earlier figure (`follow`). It never sees a result.

1. A lexer finds the places of a message that can be arguments: numbers (digits, separators,
   units, number words), lists, matrices, dates, times, digits of another base. It reads notation
   and nothing else.
2. The host reads the message with every number in a fixed form, in the order of their sizes, so
   that it reads the words and not the values: "38 rows of 26, 715 sold" is read as "12 rows of 3,
   40 sold".
3. A router writes a row of symbols, operators first, that points at places: `sub mul @0 @1 @2 .`.
   A grammar allows only well-formed calls.
4. The values are put in, and the calls go to the machine.

A message that leans on what was computed before ("and times 3?", "the same for 5, 6, 7") is
recognised first, and then read once more with the figure in front: `Before: 1224. and times 3?`.
`same(...)` makes the call before again with other numbers.

"$3.75" is 375 in a message that speaks of cents; elsewhere a number with a fraction is declined.

## Two routers

| | `readout` | `generate` |
|---|---|---|
| for | hosts below {capable:.1f} billion parameters | larger ones |
| how | a small network reads the host's hidden states (layers {layers}) and points | \
the host continues a few-shot prompt of the most similar phrasings within a grammar (llguidance) |
| fitted | shipped for the default host; else at `assistant build`, in minutes | nothing to fit |
| set with | `VGPU_ROUTER_KIND=readout` | `VGPU_ROUTER_KIND=generate` |

The shipped read-out comes with an adapter of rank {rank} on the host's layers {first} to {last}
[Hu et al. 2021, LoRA], active only while it routes: hooks that are taken away again, so the
host's text is bit for bit its own. Both are one file of {size:.1f} MB,
`assistant/router/weights/{name}`.

## What it learns from

{phrasings:,} written phrasings of {families:,} forms of calls in `prompts/routing/`, many
registers and scenes, about one in ten not English; slots are filled with random numbers. Greetings,
remarks and roundings down that say nothing new are put around them, and one question in ten is two
of them in one message (`prompts/dress.yaml`). No question of an evaluation is among them
(`tests/assistant/test_overlap.py`). It was trained in steps, as phrasings were added, each one
beginning with the last one's weights and ending with the mean of both [Wortsman et al. 2022, model
soups]. From nothing, and a step more (an hour each on one core that multiplies bfloat16):

    python -m assistant.router.train --rank {rank} --epochs 4 --each 2 -o A
    python -m assistant.router.train --rank {rank} --epochs {epochs:g} --each 2 --draw 9 \\
        --rate 7e-4 --stress plainest \\
        --from A -o assistant/router/weights/{name}

`--stress` asks the phrasings of a file four times as often: those that were written for what the
step before had misread.

## How well

One phrasing in ten was held out, with all questions made from it. Of {held_out:,} such questions
**{right:,} ({share:.1%})** were turned into exactly the expected row, symbol for symbol; another
row with the same meaning counts as wrong. The confidence that an answer shows is calibrated on
the same questions [Platt 1999]; below `router.threshold` the assistant says what it understood
and declines.

| said | questions | right |
|---|---|---|
{bins}

Forms that were asked most among the held-out questions:

| form | right | asked |
|---|---|---|
{forms}

## The generate router, with hosts too small for it

It is meant for hosts of 1.5 billion parameters and more, none of which was within reach. The same
prompt, grammar and harness with the two small hosts, on the 24 public questions:

| host | shown at the usual threshold | with `VGPU_ROUTER_THRESHOLD=0` |
|---|---|---|
| SmolLM2-135M-Instruct | 0 right, 0 wrong | 6 right, 16 wrong |
| Gemma-3-270m | 2 right, 0 wrong | 12 right, 10 wrong |

    VGPU_ROUTER_KIND=generate assistant eval basic --host gemma-3-270m

How sure a host says to be is put on the scale of how often it is right. The line for that was
fitted on 100 questions of held-out phrasings for each of the two (12 and 20 were written right,
symbol for symbol) with `python -m assistant.router.calibrate`; a capable host should have its own:
`python -m assistant.router.calibrate qwen3.5-2b` prints it.

"""


def page() -> str:
    """The whole page, from the one file in `weights/`."""
    (path,) = sorted(WEIGHTS.glob("*.safetensors"))
    said = kept.about(path)
    assert said is not None, f"{path} is no read-out"
    report, (first, last, rank) = said["report"], said["adapter"]
    return _HEAD.format(
        capable=CAPABLE / 1e9, layers=_layers(path.stem), rank=rank, first=first, last=last - 1,
        size=path.stat().st_size / 1e6, name=path.name, phrasings=report["phrasings"],
        families=len({p.family for p in corpus.phrasings()}), epochs=report["epochs"],
        held_out=report["held_out"], right=report["right"],
        share=report["right"] / report["held_out"],
        bins="\n".join(f"| {mean:.2f} | {n} | {share:.2f} |" for n, mean, share in report["bins"]),
        forms="\n".join(_forms(report["families"])),
    )  # fmt: skip


def _layers(host: str) -> str:
    from assistant import config

    return ", ".join(map(str, config.load().hosts[host]["router_layers"]))


def _forms(families: Mapping[str, Any]) -> Iterator[str]:
    most = sorted(families.items(), key=lambda item: (-item[1][1], item[0]))[:_MOST_FAMILIES]
    for family, (right, asked) in most:
        yield f"| `{family}` | {right} | {asked} |"


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
    print(f"written: {PATH}")
