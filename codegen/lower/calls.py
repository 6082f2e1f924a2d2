"""Calls: arguments in r0 upwards, results in r0 upwards, the return address in `LINK`.

Words beyond the eighth pass through an area of the thread's stack, which is empty again as soon as
the callee has begun, or the call is over: one is enough for all. What a routine may change is known
once it is allocated (`codegen.lower.program` works from the callees up), so a call costs its caller
only the registers that it really takes.
"""

from __future__ import annotations

from typing import Final

from codegen.lower.context import Lowering
from codegen.lower.mir import FIXED, Reg, Symbol, Target
from codegen.lower.operand_types import check_register
from codegen.ptx import ast
from vgpu.isa import MASK32, SPECIALS

ARGUMENT_WORDS: Final = 8
LINK: Final = FIXED[ARGUMENT_WORDS]
CALL_AREA: Final = "words of a call"


def call(low: Lowering, name: str, arguments: list[Reg], results: list[Reg]) -> None:
    """Calls the routine `name`; a word each."""
    after = low.branch_round()
    _put_beyond(low, arguments)
    passed, returned = (FIXED[: min(len(w), ARGUMENT_WORDS)] for w in (arguments, results))
    for fixed, argument in zip(passed, arguments, strict=False):
        low.emit("mov", fixed, b=argument)
    low.emit("call", b=Target(name), reads=passed)
    low.block.code[-1].clobbers = returned
    for fixed, result in zip(returned, results, strict=False):
        low.emit("mov", result, b=fixed)
    _fetch_beyond(low, results)
    if after is not None:
        low.start(after)


def _put_beyond(low: Lowering, words: list[Reg]) -> None:
    """Stores the words that find no register."""
    low.call_words = max(low.call_words, len(words) - ARGUMENT_WORDS)
    for number, word in enumerate(words[ARGUMENT_WORDS:]):
        base = low.emit("s2r", low.new(), b=SPECIALS["%local"])
        low.emit("st.b32", None, base, Symbol(CALL_AREA, 4 * number), c=word)


def _fetch_beyond(low: Lowering, words: list[Reg]) -> None:
    for number, word in enumerate(words[ARGUMENT_WORDS:]):
        base = low.emit("s2r", low.new(), b=SPECIALS["%local"])
        low.emit("ld.b32", word, base, Symbol(CALL_AREA, 4 * number))


def receive(low: Lowering) -> None:
    """The entry of a device function: its parameters and the return address, out of the way."""
    words: list[Reg] = []
    for parameter in low.function.params:
        if parameter.space == "reg":
            low.types[parameter.name] = parameter.type
            words += _words(low, parameter.name)
        else:
            words += open_slots(low, parameter)
    for result in low.function.returns:
        if result.space == "reg":
            low.types[result.name] = result.type
            low.slots[result.name] = _words(low, result.name)
        else:
            open_slots(low, result)
    low.link = low.new()
    for word, fixed in zip(words, FIXED[:ARGUMENT_WORDS], strict=False):
        low.emit("mov", word, b=fixed)
    low.emit("mov", low.link, b=LINK)
    _fetch_beyond(low, words)
    for parameter in low.function.params:
        if parameter.space == "param" and _has_address(low.function, parameter.name):
            _to_memory(low, parameter)


def _has_address(function: ast.Function, parameter: str) -> bool:
    """The function asks where the parameter lies."""
    return any(
        isinstance(s, ast.Instruction)
        and s.base != "call"
        and any(isinstance(o, ast.Name) and o.text == parameter for o in s.operands)
        for s in function.body or ()
    )


def _to_memory(low: Lowering, parameter: ast.Variable) -> None:
    """Puts a parameter that came in registers among the local variables."""
    at = low.routine.frame_bytes
    low.frame[parameter.name] = at
    for number, slot in enumerate(low.slots.pop(parameter.name)):
        base = low.emit("s2r", low.new(), b=SPECIALS["%local"])
        low.emit("st.b32", None, base, Symbol(low.routine.frame, at + 4 * number), c=slot)
        low.routine.frame_bytes += 4
    low.routine.frame_bytes = -(-low.routine.frame_bytes // 8) * 8


def give_back(low: Lowering) -> None:
    """`ret` of a device function."""
    after = low.branch_round()
    slots = [s for result in low.function.returns for s in low.slots[result.name]]
    _put_beyond(low, slots)
    returned = FIXED[: min(len(slots), ARGUMENT_WORDS)]
    for fixed, slot in zip(returned, slots, strict=False):
        low.emit("mov", fixed, b=slot)
    low.emit("bra", b=low.link, reads=returned)
    low.start(after or low.fresh_label())


def open_slots(low: Lowering, variable: ast.Variable) -> list[Reg]:
    """One register for each word of a `.param` variable that is not in memory."""
    slots = [low.new() for _ in range(-(-variable.size // 4))]
    low.slots[variable.name] = slots
    if variable.element_bytes < 4 and variable.count > 1:
        low.shared_words.update(slots)
    for slot in slots:
        low.own(slot)
    return slots


def call_function(low: Lowering, i: ast.Instruction) -> None:
    """The PTX instruction `call`."""
    listed = list(i.operands)
    returned = _group(listed)
    target = listed.pop(0) if listed else None
    passed = _group(listed)
    if isinstance(target, ast.Name) and target.text in low.types:
        low.unsupported(
            "calls through a register are not supported: call the function by its name, or choose "
            "with a switch"
        )
    if not isinstance(target, ast.Name) or listed:
        low.unsupported("only calls of a named function are supported")
    if target.text == "vprintf":
        low.fail("printf is not supported: write what you want to see to an output array")
    if target.text in ("malloc", "free"):
        low.fail(f"{target.text} is not supported: use a local or shared array")
    function = low.unit.functions.get(target.text)
    if function is None or function.body is None:
        low.unsupported(f"function '{target.text}' is not defined in this file")
    low.require(function.name)
    if len(passed) != len(function.params) or len(returned) != len(function.returns):
        low.unsupported(f"function '{target.text}' takes another number of arguments")
    arguments = [
        slot
        for operand, parameter in zip(passed, function.params, strict=True)
        for slot in _slots(low, operand, parameter)
    ]
    results = [
        slot
        for operand, result in zip(returned, function.returns, strict=True)
        for slot in _slots(low, operand, result)
    ]
    call(low, function.name, arguments, results)


def _group(listed: list[ast.Operand]) -> tuple[ast.Operand, ...]:
    """Takes the parenthesised list at the front, if there is one."""
    if listed and isinstance(listed[0], ast.Number):
        return (listed.pop(0),)  # a constant in brackets
    if listed and isinstance(listed[0], ast.Group):
        group = listed.pop(0)
        assert isinstance(group, ast.Group)
        return group.items
    return ()


def _slots(low: Lowering, operand: ast.Operand, parameter: ast.Variable) -> list[Reg]:
    """A register for each word of what is passed as `parameter`."""
    if isinstance(operand, ast.Name) and operand.text in low.slots:
        return low.slots[operand.text]
    if isinstance(operand, ast.Name) and operand.text in low.types:
        check_register(low, operand.text, f"b{8 * parameter.size}")
        return _words(low, operand.text)
    if isinstance(operand, ast.Number) and parameter.size == 8:
        return [low.reg(operand.value >> shift & MASK32) for shift in (0, 32)]
    return [low.reg(low.value(operand))]


def _words(low: Lowering, name: str) -> list[Reg]:
    """The machine registers of a PTX register, low word first."""
    return list(low.halves(name)) if low.is_wide(name) else [low.register(name)]
