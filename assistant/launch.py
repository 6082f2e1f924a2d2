"""One launch of a kernel, as the options that `run` and `compile` share describe it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assistant import launch_args
from assistant.config import Config
from vgpu.errors import InputError

if TYPE_CHECKING:
    from vgpu.program import Program
    from vgpu.runtime import Machine, Run

Dims = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """Sizes in blocks, threads and bytes; the arguments still as typed."""

    grid: Dims
    block: Dims
    shared: int
    ins: tuple[str, ...] = ()
    outs: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        grid: str | None,
        block: str | None,
        shared: str | None,
        ins: list[str] | None,
        outs: list[str] | None,
        sets: list[str] | None,
    ) -> Launch:
        """The launch of those options; what is left out is one block, one thread, no bytes.

        Raises InputError on sizes that cannot be.
        """
        return cls(
            launch_args.dimensions("--grid", "1" if grid is None else grid),
            launch_args.dimensions("--block", "1" if block is None else block),
            launch_args.byte_count("--shared", shared or "0"),
            *(tuple(given or ()) for given in (ins, outs, sets)),
        )

    @property
    def threads(self) -> int:
        """Threads of all blocks."""
        total = 1
        for size in (*self.grid, *self.block):
            total *= size
        return total

    def arguments(self, program: Program) -> launch_args.Arguments:
        """The arguments, matched to the kernel's parameters. Raises InputError."""
        return launch_args.collect(program.params, self.ins, self.outs, self.sets)

    def start(
        self, machine: Machine, program: Program, given: launch_args.Arguments, **more: Any
    ) -> Run:
        """Runs `program` with the arguments `given`; `more` are further ones of `Machine.run`."""
        import vgpu

        inputs: dict[str, Any] = {n: vgpu.Array(*array) for n, array in given.arrays.items()}
        return machine.run(
            program, inputs | given.scalars, given.outputs, grid=self.grid, block=self.block,
            shared=self.shared, **more,
        )  # fmt: skip


def pass_budget(settings: Config) -> int:
    """`--max-passes`. Raises InputError when it lets nothing run."""
    most: int = settings["max_passes"]
    if most < 1:
        raise InputError(f"--max-passes {most}: expected at least 1")
    return most


def dims(sizes: Dims) -> str:
    """`4×8` of (4, 8, 1)."""
    return "×".join(str(size) for size in sizes if size > 1) or "1"
