"""Running calls of prebuilt kernels that use each other's results: sub(mul(a, b), c).

Every call is a launch of its own. What one launch gave is read out of the network word by word
and written into it again, unchanged, as an argument of the next: translation, and no arithmetic
here. A number keeps its 64 bits all the way. When an inner call has no result, no outer one runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from codegen.catalog import Kernel, Launch, Result, catalog
from vgpu import Machine, Program, Run
from vgpu.errors import InputError


@dataclass(frozen=True)
class Nested:
    """A call of a kernel. An argument is a value, a call, or a list with calls among its items."""

    kernel: str
    args: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.kernel}({', '.join(map(_shown, self.args))})"


@dataclass(frozen=True)
class Step:
    """One launch. `result` is None when `problem` says why there is none."""

    call: Nested  # with the values that the arguments had
    result: Result | None
    problem: str | None
    run: Run | None = None


@dataclass(frozen=True)
class Outcome:
    """The launches in the order in which they ran; the last is that of the outermost call, or of
    the one that has no result."""

    steps: tuple[Step, ...]
    problem: str | None  # an inner call's begins with the inner call: "mul(…): it does not fit"

    @property
    def result(self) -> Result | None:
        return None if self.problem else self.steps[-1].result


class Launcher(Protocol):
    """Runs one launch of a program, however the caller wants it run."""

    def __call__(self, program: Program, launch: Launch) -> Run: ...


class _Stopped(Exception):
    """A call has no result."""


def evaluate(call: Nested, launcher: Launcher) -> Outcome:
    """Runs the calls inside `call`, from left to right, and then `call` itself.

    An argument that a kernel does not take is a problem, not an error. Raises what `launcher`
    raises, and InputError when there is no such kernel.
    """
    steps: list[Step] = []
    try:
        _evaluate(call, launcher, steps)
    except _Stopped:
        last = steps[-1]
        inner = len(steps) < _calls(call)
        return Outcome(tuple(steps), f"{last.call}: {last.problem}" if inner else last.problem)
    return Outcome(tuple(steps), None)


def launcher(machine: Machine, **options: Any) -> Launcher:
    """Launches on a machine, with these options of `Machine.run`."""

    def launch(program: Program, launch: Launch) -> Run:
        return machine.run(
            program, launch.inputs, launch.outputs, grid=launch.grid, block=launch.block, **options
        )

    return launch


def _evaluate(call: Nested, launcher: Launcher, steps: list[Step]) -> Result:
    values = tuple(_value(arg, launcher, steps) for arg in call.args)
    kernel, known = _kernel(call.kernel), Nested(call.kernel, values)
    try:
        launch = kernel.bind(values)
    except InputError as error:
        problem = str(error).removeprefix(f"{kernel.signature}: ")
        steps.append(Step(known, None, problem))
        raise _Stopped from None
    run = launcher(kernel.program(), launch)
    reason = kernel.explain(run.outputs["status"][0])
    result = None if reason else launch.result(run.outputs)
    steps.append(Step(known, result, reason, run))
    if result is None:
        raise _Stopped
    return result


def _value(arg: Any, launcher: Launcher, steps: list[Step]) -> Any:
    if isinstance(arg, Nested):
        return _evaluate(arg, launcher, steps)
    if isinstance(arg, Sequence) and not isinstance(arg, str):
        return [_value(item, launcher, steps) for item in arg]
    return arg


def _kernel(name: str) -> Kernel:
    if name not in catalog():
        raise InputError(f"no prebuilt kernel is called {name}")
    return catalog()[name]


def _calls(arg: Any) -> int:
    """How many launches an argument takes."""
    if isinstance(arg, Nested):
        return 1 + sum(map(_calls, arg.args))
    if isinstance(arg, Sequence) and not isinstance(arg, str):
        return sum(map(_calls, arg))
    return 0


def _shown(arg: Any) -> str:
    if isinstance(arg, Sequence) and not isinstance(arg, str):
        return f"[{', '.join(map(_shown, arg))}]"
    return str(arg)
