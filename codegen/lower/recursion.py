"""Functions that call themselves: a stack in the thread's local memory.

Every other function has one place for its variables, fixed when the program is made. One that may
run again before it has ended gets a new place each time: it moves the stack pointer, a register
kept for that in the whole program, up when it begins, and its caller moves it down again. What is
to be kept over such a call is spilled there, because the call may change every register.

The stack is the last of a thread's local memory, and the launch makes it as large as it can: it
leaves the bytes that each thread has in the word `ROOM`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from codegen.lower.mir import FIXED, Ins, Reg, Routine, Symbol, Target
from codegen.lower.spaces import STACK_BYTES
from codegen.ptx import ast
from vgpu.isa import SPECIALS

STACK: Final = FIXED[-1]
LEAST_BYTES: Final = 64
"""Of a stack; a launch without room for that much is refused."""
ROOM: Final = ast.Variable("global", "b32", "bytes of local memory", 1, 4, ast.Position(0, 0))
TRAP_OVERFLOW: Final = 3
_BASE: Final = "stack"
_LOCAL: Final = SPECIALS["%local"]


def recursive(calls: Mapping[str, Sequence[str]]) -> set[str]:
    """The functions that may call themselves, straight or through others."""
    return {name for name in calls if name in _callees(name, calls)}


def _callees(name: str, calls: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    work = list(calls[name])
    while work:
        callee = work.pop()
        if callee not in found:
            found.add(callee)
            work += calls.get(callee, ())
    return found


def use_stack(routines: Mapping[str, Routine], names: set[str]) -> None:
    """Makes the routines `names`, just lowered, put their variables on the stack."""
    for routine in routines.values():
        if routine.name in names:
            _move_to_stack(routine)
        if routine.entry:
            _set_up(routine)
        _ask_room(routine)
        for block in routine.blocks:
            for ins in [i for i in block.code if i.op == "call"]:
                ins.reads = (*ins.reads, STACK)
                assert isinstance(ins.b, Target)
                if ins.b.name in names:
                    # here, so that the callee can still fetch its return address from its place
                    down = Ins("sub", STACK, STACK, _size(routines[ins.b.name]), at=ins.at)
                    block.code.insert(block.code.index(ins) + 1, down)


def _set_up(kernel: Routine) -> None:
    kernel.blocks[0].code[:0] = [
        Ins("s2r", STACK, b=_LOCAL),
        Ins("add", STACK, STACK, Symbol(_BASE)),
    ]


def _ask_room(routine: Routine) -> None:
    """What asks for the bytes of a thread's local memory gets those of the launch."""
    for block in routine.blocks:
        for ins in [i for i in block.code if i.b == Symbol(STACK_BYTES)]:
            ins.b = routine.new()
            block.code.insert(block.code.index(ins), _load_room(ins.b, ins.at))


def _load_room(register: Reg, at: int) -> Ins:
    return Ins("ld.b32", register, None, Symbol(ROOM.name), at=at)


def _size(routine: Routine) -> Symbol:
    return Symbol(f"size of {routine.frame}")


def _move_to_stack(routine: Routine) -> None:
    routine.recursive = True
    for ins in routine.instructions():
        if ins.op == "s2r" and ins.b == _LOCAL:
            ins.op, ins.b = "mov", STACK
        if ins.op == "bra" and isinstance(ins.b, Reg):
            ins.reads = (*ins.reads, STACK)
    limit, room, beyond = routine.new(), routine.new(), routine.new(predicate=True)
    # the place that an overflow is told with: where the function begins
    at = next((i.at for i in routine.instructions() if i.at >= 0), -1)
    routine.blocks[0].code[:0] = [
        Ins("add", STACK, STACK, _size(routine), at=at),
        Ins("s2r", limit, b=_LOCAL, at=at),
        _load_room(room, at),
        Ins("add", limit, limit, room, at=at),
        Ins("setp.gt.u", beyond, STACK, limit, at=at),
        Ins("trap", b=TRAP_OVERFLOW, guard=beyond, at=at),
    ]


def place_stack(routines: Mapping[str, Routine], addresses: dict[str, int], local: int) -> int:
    """Fills in the addresses of the stack, which begins after `local` bytes; returns its end,
    when it is as small as can be."""
    for routine in routines.values():
        if routine.recursive:
            size = -(-routine.frame_bytes // 8) * 8
            addresses[routine.frame], addresses[_size(routine).name] = -size, size
    addresses[_BASE] = local
    return local + LEAST_BYTES
