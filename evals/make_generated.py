"""Makes evals/questions/advanced_generated.json: `python -m evals.make_generated`.

Tasks of held-out families (`assistant.advanced.lessons.lesson.held_out`), one of each kind, in
the form of a file of tasks. The right answers are worked out by `evals.oracle.lessons`. The same
seed gives the same file.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.advanced import extent as extents
from assistant.advanced.lessons import filling, lesson
from assistant.advanced.lessons.lesson import Lesson
from assistant.advanced.lessons.pieces import Pattern, patterns
from assistant.advanced.task import Value
from evals.oracle import lessons as oracle

FILE = Path(__file__).parent / "questions" / "advanced_generated.json"
SEED = 2024
TASKS = 40
_LENGTHS = (1, 32, 12, 20, 7, 16)  # of the hidden lists
_LEAST_DIFFERENT = 4  # results among those of a task
_INT = 1 << 31
_TRIES = 200


def records(seed: int = SEED, count: int = TASKS) -> list[dict[str, Any]]:
    """The tasks: of one kind after the other, in an order drawn at random."""
    rng = random.Random(seed)
    known = [pattern for pattern in patterns() if pattern.slots]
    rng.shuffle(known)
    found: list[dict[str, Any]] = []
    for pattern in known:
        if len(found) == count:
            break
        made = _held_out(pattern, rng)
        record = _record(made, rng) if made else None
        if record:
            found.append({"id": f"g{len(found) + 1}"} | record)
    return found


def _held_out(pattern: Pattern, rng: random.Random) -> Lesson | None:
    """A lesson of a family of this kind that is not learnt from; None when there is none."""
    families = [f for f in filling.every(pattern) if lesson.held_out(f.family)]
    rng.shuffle(families)
    made = (lesson.of_filled(family, rng, chat=False) for family in families)
    return next((one for one in made if one is not None), None)


def _record(made: Lesson, rng: random.Random) -> dict[str, Any] | None:
    """The record of a lesson; None when its results are all too much alike."""
    single = made.output == "out[0]"
    hidden = [inputs for _, inputs in zip(_LENGTHS, _hidden(made, rng), strict=False)]
    answers = [_answer(made, inputs) for inputs in (made.task.inputs, *hidden)]
    flat = [number for answer in answers for number in answer]
    least = min(_LEAST_DIFFERENT, 2 if set(flat) <= {0, 1} else _LEAST_DIFFERENT)
    if len(set(map(tuple, answers))) < least or any(not -_INT <= v < _INT for v in flat):
        return None
    shown = [answer[0] if single else answer for answer in answers]
    return {
        "task": made.task.question,
        "signature": str(made.task.signature),
        "output": made.output,
        "inputs": dict(made.task.inputs),
        "answer": shown[0],
        "hidden_inputs": [
            {"inputs": inputs, "answer": answer}
            for inputs, answer in zip(hidden, shown[1:], strict=True)
        ],
        "tags": made.family.split(),
    }


def _hidden(made: Lesson, rng: random.Random) -> Iterator[dict[str, Value]]:
    """Other inputs; those for which no result is defined are left out."""
    scalars = [parameter.name for parameter in made.task.signature.scalars]
    extent = extents.parse(made.output, scalars)
    for attempt in range(_TRIES):
        inputs = made.other_inputs(rng, _LENGTHS[attempt % len(_LENGTHS)])
        if extent.told or extent.count(inputs) >= 1:
            yield inputs


def _answer(made: Lesson, inputs: Mapping[str, Value]) -> Sequence[int]:
    return list(oracle.expected(made, inputs))


def main() -> None:
    made = records()
    lines = ",\n".join(json.dumps(record) for record in made)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{FILE}: {len(made)} tasks")


if __name__ == "__main__":
    main()
