"""A routine that is called once is put in its caller's place: no call, no return, no fixed
registers. Only routines that call nothing are inlined, so the order is from the callees up.
"""

from __future__ import annotations

from collections.abc import Iterable

from codegen.lower.calls import LINK
from codegen.lower.mir import Block, Ins, Reg, Routine, Target


def calls_of(routine: Routine) -> list[str]:
    """The routines it calls, one entry a call."""
    return [i.b.name for i in routine.instructions() if i.op == "call" and isinstance(i.b, Target)]


def inline(caller: Routine, callee: Routine) -> None:
    """Replaces the one call of `callee` in `caller` by its blocks (neither optimised yet)."""
    for block in caller.blocks:
        for at, ins in enumerate(block.code):
            if ins.op == "call" and isinstance(ins.b, Target) and ins.b.name == callee.name:
                _splice(caller, callee, block, at)
                return


def _splice(caller: Routine, callee: Routine, block: Block, at: int) -> None:
    call = block.code[at]
    given: dict[Reg, Reg] = {}
    returned: dict[Reg, Reg] = {}
    before, after = block.code[:at], block.code[at + 1 :]
    for ins in _while_fixed(reversed(before), "d"):
        ins.d = _renamed(ins.d, given, caller)
    for ins in _while_fixed(after, "b"):
        if isinstance(ins.b, Reg):
            ins.b = _renamed(ins.b, returned, caller)
    rest = Block(f"{callee.name}.after", after, block.follow)
    block.code = before
    block.follow = f"{callee.name}.{callee.blocks[0].label}"
    for inner in callee.blocks:
        inner.label = f"{callee.name}.{inner.label}"
        if inner.follow is not None:
            inner.follow = f"{callee.name}.{inner.follow}"
        for ins in inner.code:
            ins.at = call.at
            ins.ways = tuple(f"{callee.name}.{way}" for way in ins.ways)
            _adopt(ins, callee, rest.label)
            if ins.b is LINK:
                ins.b = 0  # the return address, which nobody reads now
            if isinstance(ins.b, Reg) and ins.b.fixed is not None:
                ins.b = _renamed(ins.b, given, caller)
            if ins.d is not None and ins.d.fixed is not None:
                ins.d = _renamed(ins.d, returned, caller)
    where = caller.blocks.index(block) + 1
    caller.blocks[where:where] = [*callee.blocks, rest]


def _while_fixed(code: Iterable[Ins], field: str) -> list[Ins]:
    """The copies next to a call that set its arguments, or fetch its results."""
    found = []
    for ins in code:
        register = getattr(ins, field)
        if ins.op != "mov" or not isinstance(register, Reg) or register.fixed is None:
            break
        found.append(ins)
    return found


def _renamed(register: Reg | None, fresh: dict[Reg, Reg], caller: Routine) -> Reg:
    assert register is not None
    if register not in fresh:
        fresh[register] = caller.new()
    return fresh[register]


def _adopt(ins: Ins, callee: Routine, after: str) -> None:
    """Branches follow their renamed labels, and returning becomes a branch to `after`."""
    if ins.op == "bra" and isinstance(ins.b, Reg):
        ins.b, ins.reads = Target(after), ()
    elif ins.op == "bra" and isinstance(ins.b, Target):
        ins.b = Target(f"{callee.name}.{ins.b.name}")
