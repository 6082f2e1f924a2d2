"""The runtime: feeds words to an engine until every lane has exited.

It writes the prompt of load tokens, gives each lane its last word back, stops, and asks for the
results with read tokens. It computes nothing: every value that it returns came out of the
engine as a word.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from vgpu import asm, isa
from vgpu.engines import Engine, advance, make_engine
from vgpu.errors import BudgetError, FaultError, InputError
from vgpu.geometry import DEFAULT, Geometry
from vgpu.launch import (
    TYPES,
    Array,
    Dim,
    Plan,
    Value,
    blocks,
    dim3,
    kind_of,
    memory_words,
    plan,
    special_rows,
    used_specials,
    whole,
)
from vgpu.program import Program
from vgpu.trace import Trace
from vgpu.word import FAULTS, Bits, layout

MAX_PASSES: Final = 1_000_000
CHUNK: Final = 128  # load and read tokens a forward pass
TRAPS: Final = {  # what a trap's operand says
    1: "division by zero", 3: "stack overflow",
    4: "threads of the block wait at different barriers",
}  # fmt: skip
MENDS: Final = {
    3: "; calls go deeper than the {bytes:,} bytes a thread has in this launch: "
    "call less deep, launch fewer threads, or write a loop"
}
SLICE: Final = 256  # passes between looks at progress, budget and Ctrl-C
STILL: Final = 4  # passes in which no lane goes on, after which none ever will


@dataclass
class Run:
    """What a launch gave. `words` counts the lanes' words, `passes` the forward passes of the
    step loop, `load_words` and `read_words` the tokens before and after it."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    engine: str
    outputs: dict[str, list[int]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    passes: int = 0
    words: int = 0
    instructions: int = 0
    load_words: int = 0
    read_words: int = 0
    seconds: float = 0.0


class Machine:
    """A machine and its engine ("sparse", "dense" or "interpreter").

        run = Machine().run(program, {"a": [1, 2, 3], "n": 3}, {"out": 1}, block=4)

    Each run starts from an empty machine. An interrupted or failed run leaves it usable.
    """

    def __init__(self, engine: str | Engine = "sparse", geometry: Geometry | None = None) -> None:
        if not isinstance(engine, str) and not hasattr(engine, "geometry"):
            raise InputError(f"engine: expected a name or an engine, got {engine!r}")
        self.engine = (
            make_engine(engine, geometry or DEFAULT) if isinstance(engine, str) else engine
        )
        self.geometry = self.engine.geometry
        self.layout = layout(self.geometry)
        self.end = 0
        self.local_bytes = 0

    def run(
        self,
        program: Program,
        inputs: Mapping[str, Value],
        outputs: Mapping[str, int | tuple[str, int]] | None = None,
        *,
        grid: Dim = 1,
        block: Dim = 1,
        shared: int = 0,
        max_passes: int = MAX_PASSES,
        trace: Path | str | None = None,
        trace_bytes: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Run:
        """Run a kernel and read its outputs back.

        `inputs`: name (or position "1", "2", …) → list or `Array` for pointer parameters, int
        for scalars. `outputs`: name → element count or (type, count); a name also in `inputs`
        is read back; a pointer parameter in neither is an output of one element. `trace_bytes`:
        about how large the trace may grow; later passes are left out of it. Raises InputError,
        FaultError (raised by the network), BudgetError.
        """
        if not isinstance(program, Program):
            raise InputError(f"program: expected a Program, got {kind_of(program)}")
        if trace is not None and not isinstance(trace, str | Path):
            raise InputError(f"trace: expected a path, got {kind_of(trace)}")
        if progress is not None and not callable(progress):
            raise InputError(f"progress: expected a function, got {kind_of(progress)}")
        shared, max_passes = whole(shared, "shared"), whole(max_passes, "max_passes")
        if max_passes < 1:
            raise InputError(f"max_passes: expected at least 1, got {max_passes}")
        grid3, block3 = dim3(grid, "grid"), dim3(block, "block")
        threads = block3[0] * block3[1] * block3[2]
        if threads > self.geometry.threads:
            raise InputError(
                f"a block of {threads} threads: the machine runs at most {self.geometry.threads}"
            )
        if len(program.code) > self.geometry.instructions:
            raise InputError(
                f"{program.kernel} needs {len(program.code):,} instructions; "
                f"the machine holds {self.geometry.instructions:,}"
            )
        if shared < 0:
            raise InputError(f"shared: expected a number of bytes, got {shared}")
        layout_of = plan(
            program, inputs, outputs or {}, shared=shared, threads=threads, geometry=self.geometry
        )
        self.local_bytes = layout_of.local_bytes
        run = Run(program.kernel, grid3, block3, self.engine.name)
        started = time.perf_counter()
        path = Path(trace) if trace is not None else None
        with Trace(path, self.layout, run, trace_bytes) as record:
            self.engine.reset()
            self._load(program, layout_of, run, threads, record)
            for ctaid in blocks(grid3):
                self._block(program, run, ctaid, threads, max_passes, record, progress)
            self._read(layout_of, run, record)
        run.seconds = time.perf_counter() - started
        return run

    def _feed(self, words: Bits, record: Trace, kind: str) -> Bits:
        """Words of a prompt, in chunks; what came out, in order."""
        parts = []
        for at in range(0, len(words), CHUNK):
            chunk = words[at : at + CHUNK]
            parts.append(self.engine.step(chunk))
            record.chunk(kind, chunk, parts[-1])
        return np.concatenate(parts) if parts else words

    def _load(self, program: Program, where: Plan, run: Run, threads: int, record: Trace) -> None:
        pack = self.layout.pack
        code = np.array(program.code, dtype=np.uint64)
        at = np.arange(len(code))
        low = (code & np.uint64(isa.MASK32)).astype(np.int64)
        high = (code >> np.uint64(32)).astype(np.int64)
        addresses, values = memory_words(bytes(where.memory))
        used = used_specials(program)
        rows = special_rows(
            run.grid, run.block, used, (where.local_base, where.local_bytes), self.geometry
        )
        prompt = np.concatenate(
            [
                pack(len(code), prog_lo=1, addr=at, value=low),
                pack(len(code), prog_hi=1, addr=at, value=high),
                pack(len(addresses), mem=1, addr=addresses, value=values),
                pack(len(rows), special=1, addr=list(rows), value=list(rows.values())),
            ]
        )  # fmt: skip
        self._feed(prompt, record, "load")
        run.load_words += len(prompt)

    def _block(
        self,
        program: Program,
        run: Run,
        ctaid: tuple[int, ...],
        threads: int,
        max_passes: int,
        record: Trace,
        progress: Callable[[int], None] | None,
    ) -> None:
        pack, lanes = self.layout.pack, np.arange(threads)
        rows = [isa.SPECIALS["%ctaid.x"] + axis for axis in range(3)]
        prompt = np.concatenate(
            [
                pack(3, special=1, addr=rows, value=list(ctaid)),
                pack(threads, start=1, run=1, thread=lanes),
            ]
        )
        self._feed(prompt, record, "start")
        run.load_words += len(prompt)
        words = pack(threads, exec=1, run=1, thread=lanes)
        block = f"block ({','.join(map(str, ctaid))}), " if run.grid != (1, 1, 1) else ""
        at = self.layout.offsets
        alive, stop = [at["run"], at["wait"]], [at[name] for name in FAULTS]
        while words[:, alive].any():
            if run.passes >= max_passes:
                raise self._over_budget(program, words, max_passes, block)
            # When all lanes wait, what each knows of the others is complete two passes later.
            waiting = not words[:, at["run"]].any()
            limit = min(STILL if waiting else SLICE, max_passes - run.passes)
            words, count, ran, history = advance(
                self.engine, words, limit, alive, stop, waiting or record.wanted
            )
            record.passes(ctaid, history)
            run.passes += count
            run.words += count * threads
            run.instructions += ran
            if progress is not None:
                progress(run.passes)
            if words[:, stop].any():
                raise self._fault(program, words, block)
            if waiting and count == STILL and not history[:, :, at["run"]].any():
                raise self._deadlock(program, words, block)

    def _read(self, where: Plan, run: Run, record: Trace) -> None:
        for name, (address, type, count) in where.reads.items():
            data = self._read_bytes(address, count * TYPES[type][0], run, record)
            run.outputs[name] = list(Array.from_bytes(type, data).values)
            run.types[name] = type
        self.end = where.end

    def read_memory(self) -> bytes:
        """All memory that the last launch could use, from address 0, asked of the network."""
        run = Run("", (1, 1, 1), (1, 1, 1), self.engine.name)
        with Trace(None, self.layout, run) as record:
            return self._read_bytes(0, self.end, run, record)

    def _read_bytes(self, address: int, size: int, run: Run, record: Trace) -> bytes:
        words = -(-size // 4)
        prompt = self.layout.pack(words, read=1, addr=address + 4 * np.arange(words))
        came = self.layout.field(self._feed(prompt, record, "read"), "value")
        run.read_words += words
        return came.astype("<u4").tobytes()[:size]

    def _fault(self, program: Program, words: Bits, block: str) -> FaultError:
        fields = self.layout.unpack(words)
        for lane in range(len(words)):
            for name, text in FAULTS.items():
                if fields[name][lane]:
                    reason, mend = text, ""
                    if name == "f_trap":
                        code = int(fields["value"][lane])
                        reason = TRAPS.get(code, text)
                        mend = MENDS.get(code, "").format(bytes=self.local_bytes)
                    return FaultError(
                        f"{reason}: {block}{self._place(program, fields, lane)}{mend}",
                        self._where(program, int(fields["addr"][lane])),
                    )
        raise AssertionError("no lane has a fault")

    def _deadlock(self, program: Program, words: Bits, block: str) -> FaultError:
        fields = self.layout.unpack(words)
        lanes = np.flatnonzero(fields["wait"]).tolist()
        first = int(fields["addr"][lanes[0]])
        here = [lane for lane in lanes if fields["addr"][lane] == first]
        there = [lane for lane in lanes if fields["addr"][lane] != first]
        text = (
            f"{_listed(here)} {'waits' if len(here) == 1 else 'wait'} at {self._pc(program, first)}"
        )
        if there:
            other = int(fields["addr"][there[0]])
            text += f"; {_listed(there)} elsewhere, lane {there[0]} at {self._pc(program, other)}"
        where = self._where(program, first)
        return FaultError(f"a barrier that can never complete: {block}{text}", where)

    def _over_budget(
        self, program: Program, words: Bits, max_passes: int, block: str
    ) -> BudgetError:
        fields = self.layout.unpack(words)
        # A lane that waits for one that never comes tells more than the one that runs on.
        stuck = fields["wait"] if fields["wait"].any() else fields["run"]
        lane = int(np.flatnonzero(stuck)[0])
        waits = " (waiting at a barrier)" if fields["wait"][lane] else ""
        return BudgetError(
            f"{program.kernel} did not finish in {max_passes:,} passes{waits}: "
            f"{block}{self._place(program, fields, lane)}; raise --max-passes if it should go on",
            self._where(program, int(fields["addr"][lane])),
        )

    def _where(self, program: Program, address: int) -> tuple[str, int, int] | None:
        """File, line and column of an instruction, when they are known."""
        pc = address % self.geometry.instructions
        source = program.source[pc] if pc < len(program.source) else None
        return (source.file, source.line, source.column) if source and source.line else None

    def _place(self, program: Program, fields: Mapping[str, Any], lane: int) -> str:
        return f"lane {lane}, {self._pc(program, int(fields['addr'][lane]))}"

    def _pc(self, program: Program, address: int) -> str:
        """An instruction, and where it comes from."""
        pc = address % self.geometry.instructions
        where = f"pc {pc}"
        if pc < len(program.code):
            instruction = isa.decode(program.code[pc])
            if instruction is not None:
                where += f", {asm.format_instruction(instruction)}"
        source = program.source[pc] if pc < len(program.source) else None
        if source is None:
            return where
        column = f":{source.column}" if source.column else ""
        return where + f" ({source.file}:{source.line}{column})"


def _listed(lanes: list[int]) -> str:
    """`lane 3`, `lanes 0, 2-5`."""
    runs: list[list[int]] = []
    for lane in lanes:
        if runs and lane == runs[-1][1] + 1:
            runs[-1][1] = lane
        else:
            runs.append([lane, lane])
    spelled = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
    return f"{'lane' if len(lanes) == 1 else 'lanes'} {spelled}"
