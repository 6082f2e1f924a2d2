"""What a run of a kernel gave, for a person and as the JSON of `assistant run`."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from assistant.launch import dims

if TYPE_CHECKING:
    from vgpu.runtime import Run

_SHOWN = 64
FOLDED = "note: the compiler had folded the result to a constant; the network only stored it"


def record(run: Run, folded: bool) -> dict[str, Any]:
    """The JSON shape of `run --json`."""
    return {
        "kernel": run.kernel,
        "grid": list(run.grid),
        "block": list(run.block),
        "engine": run.engine,
        "passes": run.passes,
        "words": run.words,
        "instructions": run.instructions,
        "seconds": run.seconds,
        "outputs": run.outputs,
        "computed_by": "interpreter" if run.engine == "interpreter" else "network",
        "folded": folded,
    }


def lines(run: Run) -> list[str]:
    """`out = 1, 2, 3`, a line an array."""
    return [f"{n} = {_shown(values, run.types.get(n))}" for n, values in run.outputs.items()]


def footing(run: Run) -> str:
    """One line on what the machine did."""
    return (
        f"{run.kernel} · grid {dims(run.grid)} · block {dims(run.block)} · {run.engine} · "
        f"{run.passes} passes · {run.words} words · {run.instructions} instructions · "
        f"{run.seconds:.2f} s"
    )


def _shown(values: list[int], kind: str | None) -> str:
    """Values for a person; f32 travel as bit patterns and are shown as numbers."""
    shown = values[:_SHOWN]
    texts = [
        repr(struct.unpack("<f", v.to_bytes(4, "little"))[0]) if kind == "f32" else str(v)
        for v in shown
    ]
    more = f", ... ({len(values)} in all)" if len(values) > _SHOWN else ""
    return f"{', '.join(texts)}{more}"
