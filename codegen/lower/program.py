"""From a parsed PTX module to a `vgpu.Program`.

Lowers the kernel and whatever it calls, from the callees up, and puts the parts together.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import NoReturn

from codegen.errors import CompileError, place
from codegen.lower.allocate import Allocation, allocate
from codegen.lower.assemble import Assembled, assemble
from codegen.lower.calls import CALL_AREA, LINK
from codegen.lower.carries import fold_carries, remove_unused
from codegen.lower.cfg import lay_out_blocks, normalise, simplify
from codegen.lower.context import Lowering, Unit
from codegen.lower.function import lower_function
from codegen.lower.guards import guard_branches, guard_selections, guard_sums
from codegen.lower.inline import calls_of, inline
from codegen.lower.layout import Layout, align, lay_out
from codegen.lower.legalise import legalise
from codegen.lower.library import is_library, library
from codegen.lower.liveness import remove_dead
from codegen.lower.meetings import Mask, TooManyMasksError, first_meetings, number_meetings
from codegen.lower.mir import FIXED, FIXED_PREDICATES, Reg, Routine, Symbol, Target
from codegen.lower.places import Places
from codegen.lower.propagate import fold_addresses, propagate
from codegen.lower.recursion import ROOM, STACK, place_stack, recursive, use_stack
from codegen.lower.scopes import flatten
from codegen.lower.scratch import SCRATCH
from codegen.lower.spaces import STACK_BYTES
from codegen.lower.warp import settle_active_masks
from codegen.ptx import ast
from vgpu.geometry import DEFAULT
from vgpu.program import Param, Program, Source

TRAP_USER = 2
_ROUNDS = 12
TOO_MANY = 4 * DEFAULT.instructions
"""Instructions that no optimisation makes fit: not worth the time to try."""


@dataclass
class _Parts:
    """What has been lowered: `routines` callees before callers, `placed` those that stay calls."""

    routines: dict[str, Routine] = field(default_factory=dict)
    placed: list[Routine] = field(default_factory=list)
    calls: dict[str, list[str]] = field(default_factory=dict)
    allocations: dict[str, Allocation] = field(default_factory=dict)
    variables: dict[str, ast.Variable] = field(default_factory=dict)
    sources: list[Source | None] = field(default_factory=list)
    call_words: int = 0
    marks: bool = False
    meetings: dict[Mask, int] = field(default_factory=first_meetings)


def build(
    module: ast.Module, kernel: ast.Function, params: tuple[Param, ...], places: Places,
    name: str, *, marks: bool = False,
) -> Program:  # fmt: skip
    """The program of `kernel`; `name` is what people call it.

    With `marks` it is plain code with a mark before each PTX instruction (see `codegen.stats`),
    of any length. Raises CompileError when an instruction is not supported or the machine is too
    small.
    """
    parts = _Parts(marks=marks)
    _lower(kernel, module, places, parts)
    inner = recursive(parts.calls)
    if inner:
        use_stack(parts.routines, inner)
        parts.variables[ROOM.name] = ROOM
    _fit(parts, frozenset({STACK}) if inner else frozenset())
    layout = lay_out(kernel, list(parts.variables.values()), places.reject)
    local = 0
    addresses = dict(layout.addresses)
    for routine in parts.routines.values():
        if not routine.recursive:
            addresses[routine.frame] = local
            local = align(local + routine.frame_bytes, 8)
    addresses[CALL_AREA] = local
    local = align(local + 4 * parts.call_words, 8)
    if inner:
        local = place_stack(parts.routines, addresses, local)
    addresses[STACK_BYTES] = local
    done = assemble(parts.placed, parts.allocations, addresses, parts.sources)
    if not marks:
        _check_size(done, layout, local, places.of_function(kernel), name)
    return Program(
        kernel=name,
        code=done.code,
        params=params,
        data_base=layout.data_base,
        data=layout.data,
        shared_base=layout.shared_base,
        shared_bytes=layout.shared_bytes,
        local_bytes=local,
        room_word=addresses.get(ROOM.name, 0),
        source=done.source,
        stats=_stats(done, parts, layout, local),
    )


def _stats(done: Assembled, parts: _Parts, layout: Layout, local: int) -> dict[str, int]:
    return {
        "instructions": len(done.code),
        "registers": done.registers,
        "predicates": done.predicates,
        "spills": sum(r.spills for r in parts.placed),
        "ptx_instructions": len(parts.sources),
        "data_bytes": len(layout.data),
        "shared_bytes": layout.shared_bytes,
        "local_bytes": local,
    }


def _check_size(done: Assembled, layout: Layout, local: int, at: Source, name: str) -> None:
    """Raises CompileError when the machine is too small, whatever the launch."""
    if len(done.code) > DEFAULT.instructions:
        _refuse_size(len(done.code), at, name)
    shared = layout.shared_bytes
    size = layout.shared_base + shared + local
    if size > DEFAULT.memory_bytes:
        parts = {
            "static data": layout.shared_base - layout.data_base,
            "shared memory": shared,
            "local variables": local,
            "parameters": layout.data_base,
        }
        largest = max(parts, key=lambda part: parts[part])
        message = (
            f"this kernel needs {size:,} bytes of memory before its arrays ({parts[largest]:,} of "
            f"{largest}); the machine holds {DEFAULT.memory_bytes:,}: use smaller types or arrays"
        )
        raise CompileError(place(at.file, at.line, at.column, message))


def _refuse_size(size: int, at: Source, name: str) -> NoReturn:
    message = (
        f"this kernel needs {size:,} instructions; the machine holds {DEFAULT.instructions:,}: "
        f"make {name} smaller (unroll less, or split it into two kernels)"
    )
    raise CompileError(place(at.file, at.line, at.column, message))


def _lower(function: ast.Function, module: ast.Module, places: Places, parts: _Parts) -> None:
    """Lowers `function` and what it calls."""
    home = library() if is_library(function.name) else module
    low = _lower_one(function, home, places, parts)
    size = sum(1 for _ in low.routine.instructions())
    if size > TOO_MANY and not parts.marks:
        _refuse_size(size, places.of_function(function), function.name)
    parts.calls[function.name] = low.needs
    for name in low.needs:
        if name not in parts.calls:
            _lower(_find(name, module), module, places, parts)
    parts.routines[function.name] = low.routine


def _fit(parts: _Parts, reserved: frozenset[Reg]) -> None:
    """Inlines what is called once, then optimises and allocates, from the callees up."""
    counts = Counter(name for r in parts.routines.values() for name in calls_of(r))
    for routine in parts.routines.values():
        for name in calls_of(routine):
            if parts.marks:
                continue
            if counts[name] == 1 and not calls_of(parts.routines[name]):
                inline(routine, parts.routines[name])
                parts.placed.remove(parts.routines[name])
        parts.placed.append(routine)
        if parts.marks or routine.entry or counts[routine.name] != 1 or calls_of(routine):
            _settle_calls(routine, parts, reserved)
            _plain(routine) if parts.marks else optimise(routine)
            _number_meetings(routine, parts)
            parts.allocations[routine.name] = allocate(routine, reserved)
            lay_out_blocks(routine)
    parts.placed.reverse()


def _number_meetings(routine: Routine, parts: _Parts) -> None:
    try:
        number_meetings(routine, parts.meetings)
    except TooManyMasksError as error:
        at = parts.sources[error.at] if error.at >= 0 else None
        message = f"{error}: {routine.name} uses too many; take the same mask where the lanes are"
        where = at if at is not None else Source(routine.name, 0)
        raise CompileError(place(where.file, where.line, where.column, message)) from None


def _settle_calls(routine: Routine, parts: _Parts, reserved: frozenset[Reg]) -> None:
    """Tells each call which registers its callee changes: all, where it calls back."""
    for ins in routine.instructions():
        if ins.op == "call":
            assert isinstance(ins.b, Target)
            callee = parts.allocations.get(ins.b.name)
            known = callee.clobbers if callee else {*FIXED, *FIXED_PREDICATES} - reserved
            changed = {*known, *ins.clobbers, LINK}
            ins.clobbers = tuple(sorted(changed, key=lambda r: (r.predicate, r.number)))


def _find(name: str, module: ast.Module) -> ast.Function:
    home = library() if is_library(name) else module
    return next(f for f in home.functions if f.name == name and f.body is not None)


def _lower_one(
    function: ast.Function, module: ast.Module, places: Places, parts: _Parts
) -> Lowering:
    statements = flatten(function.body or (), places.reject, function.name)
    function = replace(function, body=tuple(statements))
    inner = [v for v in function.body or () if isinstance(v, ast.Variable)]
    all_of = [*module.variables, *inner, *SCRATCH]
    known = {v.name: v for v in all_of if v.space not in ("local", "param")}
    params = [p.name for p in function.params] if function.entry else []
    functions = {f.name: f for f in module.functions}
    functions |= {a: functions[f] for a, f in module.aliases.items() if f in functions}
    unit = Unit(
        places=places,
        addresses=frozenset([*known, *params]) - {v.name for v in SCRATCH},
        functions=functions,
        trap_code=TRAP_USER,
        marks=parts.marks and not is_library(function.name),
    )
    if is_library(function.name):
        low = lower_function(function, unit, [])
        for ins in low.routine.instructions():
            ins.at = -1
    else:
        low = lower_function(function, unit, parts.sources)
    parts.call_words = max(parts.call_words, low.call_words)
    _collect(low.routine, known, parts.variables)
    return low


def _collect(
    routine: Routine, known: dict[str, ast.Variable], used: dict[str, ast.Variable]
) -> None:
    """The variables that the code names, and those that their initial values name."""
    work = [
        operand.name
        for ins in routine.instructions()
        for operand in (ins.a, ins.b)
        if isinstance(operand, Symbol)
    ]
    while work:
        name = work.pop()
        if name in known and name not in used:
            used[name] = known[name]
            values = known[name].values or ()
            work += [v.text for v in values if isinstance(v, ast.Name)]
            work += [v.name for v in values if isinstance(v, ast.Part)]


def _plain(routine: Routine) -> None:
    """Only what must be."""
    normalise(routine)
    settle_active_masks(routine)
    legalise(routine)


def optimise(routine: Routine) -> None:
    """Everything between lowering and register allocation."""
    normalise(routine)
    settle_active_masks(routine)
    _settle(routine)
    guard_branches(routine)
    guard_sums(routine)
    _settle(routine)
    guard_selections(routine)
    fold_addresses(routine)
    remove_dead(routine)
    legalise(routine)


def _settle(routine: Routine) -> None:
    for _ in range(_ROUNDS):
        changed = propagate(routine)
        changed |= fold_carries(routine)
        changed |= remove_unused(routine)
        changed |= remove_dead(routine)
        if not changed:
            break
    simplify(routine)
