"""What a program must show on made-up inputs before its figure is believed.

The machine runs it on each; results are compared with each other, never with a computation of
ours: the same whatever stands behind a list, the same for every order where its writer says so, not
one constant for everything, not a mere copy of its input. And a second program, written apart from
it, must give the same on all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.advanced.attempts import Attempt, Bench, Failed, Stage
from assistant.advanced.cases import Case
from assistant.advanced.task import Task

Result = tuple[int, ...] | None


def check(
    attempt: Attempt,
    task: Task,
    made: Sequence[Case],
    bench: Bench,
    further: Iterable[Case] = (),
) -> None:
    """Runs the attempt's program on the cases and keeps the results; on the `further` ones only
    until the result has varied. Raises Failed."""
    results: dict[str, Result] = {}
    checked = []
    for case in made:
        if case.alike and case.name == "other order" and not attempt.draft.order_free:
            results[case.name] = None
            continue
        results[case.name] = _run(attempt, task, case, bench)
        if results[case.name] is None:
            continue
        checked.append(case.name)
        if case.alike and results[case.name] != results[case.alike]:
            raise Failed("check", _PROBLEMS[case.name])
    attempt.checked = tuple(checked)
    attempt.results = tuple(results[c.name] for c in made if not c.loose and not c.alike)
    found = [(case, out) for case in made if (out := results[case.name]) is not None]
    problem = _sameness(task, found)
    for other in further:
        if not problem:
            break
        if (out := _run(attempt, task, other, bench)) is not None:
            found.append((other, out))
            problem = _sameness(task, found)
    if problem:
        raise Failed(*problem)


def _run(attempt: Attempt, task: Task, case: Case, bench: Bench) -> Result:
    """What the program gives; None where it may fail and does. Raises Failed."""
    assert attempt.program is not None
    try:
        ran = bench.run(attempt.program, task, attempt.draft.extent, case.inputs)
    except Failed as failed:
        if case.loose:
            return None
        raise Failed(failed.stage, f"{failed.problem} (self-check: {case.name})") from None
    attempt.check_passes += ran.passes
    return ran.out


_PROBLEMS = {
    "past the end": "the result depends on what stands in memory behind the list",
    "other order": "the result depends on the order of the list, though it is said to be free",
}


def _sameness(
    task: Task, found: Sequence[tuple[Case, tuple[int, ...]]]
) -> tuple[Stage, str] | None:
    """What is wrong with results that are always the same, or always a number that was given."""
    firsts = {out for _case, out in found}
    if len(firsts) < 2:
        zero = all(value == 0 for out in firsts for value in out)
        said = "out is never written, or always 0" if zero else "the result never changes"
        return "output" if zero else "check", f"{said}, whatever the data"
    for name in task.inputs:
        if all(out == _copied(case, name, len(out)) for case, out in found):
            return "check", f"the result is nothing but {name}"
    return None


def _copied(case: Case, name: str, count: int) -> tuple[int, ...]:
    value = case.inputs[name]
    return tuple(value[:count]) if isinstance(value, list) else (value,)


@dataclass(frozen=True)
class Agreement:
    """Two attempts that gave the same on the user's data and on every case of the self-check."""

    one: Attempt
    other: Attempt


def agreement(attempts: Sequence[Attempt], sure: float = 0.0) -> Agreement | None:
    """The first two that agree, of those that passed their checks and were written apart: no
    example that one writer was shown was shown to the other. Where a writer was shown none and
    says how likely its programs are right, all that agree must be at least `sure` together."""
    passed = [a for a in attempts if a.passed]
    for later, other in enumerate(passed):
        for one in passed[:later]:
            apart = not set(one.seen) & set(other.seen)
            if apart and _alike(one, other) and likely(other, passed) >= sure:
                return Agreement(one, other)
    return None


def _alike(one: Attempt, other: Attempt) -> bool:
    return one.figures == other.figures and one.results == other.results


def likely(one: Attempt, passed: Sequence[Attempt]) -> float:
    """How likely one of the programs that give the same as this is right, each counted once."""
    if one.draft.after_examples:
        return 1.0
    found = {a.draft.source: a.draft.probability for a in passed if _alike(a, one)}
    return sum(found.values())


def disagreement(attempts: Sequence[Attempt], made: Sequence[Case]) -> str:
    """Where programs that passed their checks differ, in a line for a person; empty if nowhere."""
    passed = [a for a in attempts if a.passed]
    names = [c.name for c in made if not c.loose and not c.alike]
    for later, other in enumerate(passed):
        for one in passed[:later]:
            if one.figures != other.figures:
                return f"programs {one.number} and {other.number} give different figures"
            for name, mine, its in zip(names, one.results, other.results, strict=True):
                if mine != its:
                    return (
                        f"programs {one.number} and {other.number} differ on made-up data ({name})"
                    )
    return ""
