"""Assembler and disassembler: one line an instruction, in the words of the instruction table.

    loop:   ld.b32 r1, [r2+4]
            mad r3, r1, r1, r3
            setp.lt.s p0, r2, 64
       @p0  bra loop
            exit

`rz` as operand a reads as 0, `!p1` negates a predicate, `%tid.x` names a special register,
`//` and `#` start a comment. Immediates are decimal or 0x hexadecimal, negative allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from vgpu import isa
from vgpu.errors import InputError
from vgpu.isa import Instruction

_LABEL: Final = re.compile(r"^\s*([A-Za-z_$.][\w$.]*)\s*:")
_ADDRESS: Final = re.compile(r"^\[\s*(?:(r\d+)\s*(?:([+-])\s*(\w+))?|([-+]?\w+))\s*\]$")


def format_instruction(instruction: Instruction, labels: dict[int, str] | None = None) -> str:
    """The assembler line of one instruction; branch targets by label when `labels` has one."""
    op = isa.OPS[instruction.op]
    guard = ""
    if instruction.guard is not None:
        guard = f"@{'!' if instruction.gneg else ''}p{instruction.guard} "
    texts = [_operand_text(kind, instruction, labels or {}) for kind in op.operands]
    if op.operands[-1:] == ("m",) and texts[-1] == "0":
        del texts[-1]
    return f"{guard}{op.name} {', '.join(texts)}".rstrip()


def _operand_text(kind: str, i: Instruction, labels: dict[int, str]) -> str:
    a = "rz" if i.ra is None else f"r{i.ra}"
    if kind == "b":
        if i.bimm and i.op == "bra" and i.b in labels:
            return labels[i.b]
        b = i.b & ~isa.MEETING.put(isa.MEETINGS - 1) if "m" in isa.OPS[i.op].operands else i.b
        return _signed_text(b) if i.bimm else f"r{b % isa.REGISTERS}"
    if kind == "[a+i]":
        if not i.bimm:
            return f"[{a}+r{i.b % isa.REGISTERS}]"
        if i.ra is None:
            return f"[0x{i.b:x}]"
        offset = _signed_text(i.b)
        return f"[{a}]" if i.b == 0 else f"[{a}{'' if offset[0] == '-' else '+'}{offset}]"
    if kind == "s":
        return isa.SPECIAL_NAMES.get(i.b, f"%s{i.b}")
    if kind in "km":
        return str((isa.PLOP_TABLE if kind == "k" else isa.MEETING).get(i.b))
    return {
        "d": f"r{i.rd}",
        "p": f"p{i.rd % isa.PREDICATES}",
        "w": f"p{i.rc % isa.PREDICATES}",
        "a": a,
        "c": f"r{i.rc}",
        "q": f"{'!' if i.qneg else ''}p{i.q}",
        "r": f"p{isa.PLOP_R.get(i.b)}",
    }[kind]


def _signed_text(value: int) -> str:
    return str(value - (1 << 32) if value >> 31 else value)


def disassemble(code: Sequence[int]) -> list[str]:
    """One line a word, with `L<index>` labels where branches lead. Undefined words show as data."""
    decoded = [isa.decode(word) for word in code]
    targets = {i.b for i in decoded if i and i.op == "bra" and i.bimm and i.b < len(code)}
    labels = {target: f"L{target}" for target in sorted(targets)}
    lines = []
    for at, (word, instruction) in enumerate(zip(code, decoded, strict=True)):
        label = f"{labels[at]}:" if at in labels else ""
        text = format_instruction(instruction, labels) if instruction else f".word 0x{word:016x}"
        lines.append(f"{label:<7} {text}")
    return lines


def assemble(text: str | Iterable[str]) -> list[int]:
    """Assembler text → instruction words. Raises InputError naming the line."""
    lines = text.splitlines() if isinstance(text, str) else list(text)
    labels: dict[str, int] = {}
    todo: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        body = re.split(r"//|#", line)[0]
        while match := _LABEL.match(body):
            if match[1] in labels:
                raise InputError(f"line {number}: label {match[1]} stands twice")
            labels[match[1]] = len(todo)
            body = body[match.end() :]
        if body.strip():
            todo.append((number, body.strip()))
    words = []
    for number, body in todo:
        try:
            words.append(_parse(body, labels))
        except ValueError as error:
            raise InputError(f"line {number}: {error}: {body}") from None
    return words


def _parse(body: str, labels: dict[str, int]) -> int:
    fields: dict[str, int | bool | None] = {}
    if match := re.match(r"@(!?)p([0-7])\s+", body):
        fields |= {"guard": int(match[2]), "gneg": match[1] == "!"}
        body = body[match.end() :]
    name, _, rest = body.partition(" ")
    if name == ".word":
        return int(rest, 0)
    op = isa.OPS.get(name)
    if op is None:
        raise ValueError(f"unknown instruction {name!r}")
    texts = [t.strip() for t in rest.split(",")] if rest.strip() else []
    if op.operands[-1:] == ("m",) and len(texts) == len(op.operands) - 1:
        texts.append("0")
    if len(texts) != len(op.operands):
        raise ValueError(f"{name} takes {len(op.operands)} operands ({op.form}), got {len(texts)}")
    if not op.reads_a:
        fields["ra"] = 0
    for kind, operand in zip(op.operands, texts, strict=True):
        _parse_operand(kind, operand, labels, fields)
    return Instruction(op=name, **fields).encode()  # type: ignore[arg-type]


def _parse_operand(
    kind: str, text: str, labels: dict[str, int], fields: dict[str, int | bool | None]
) -> None:
    if kind in "dc":
        fields["r" + kind] = _numbered("r", text, isa.REGISTERS)
    elif kind == "w":
        fields["rc"] = _numbered("p", text, isa.PREDICATES)
    elif kind == "p":
        fields["rd"] = _numbered("p", text, isa.PREDICATES)
    elif kind == "a":
        fields["ra"] = None if text == "rz" else _numbered("r", text, isa.REGISTERS)
    elif kind == "b":
        if re.fullmatch(r"r\d+", text):
            fields |= {"b": _numbered("r", text, isa.REGISTERS), "bimm": False}
        else:
            fields |= {"b": labels[text] if text in labels else _immediate(text), "bimm": True}
    elif kind == "q":
        fields |= {"q": _numbered("p", text.lstrip("!"), isa.PREDICATES), "qneg": text[0] == "!"}
    elif kind == "r":
        fields["b"] = isa.PLOP_R.put(_numbered("p", text, isa.PREDICATES))
    elif kind == "k":
        fields["b"] = int(fields["b"] or 0) | isa.PLOP_TABLE.put(_immediate(text))
    elif kind == "m":
        fields["b"] = int(fields.get("b") or 0) | isa.MEETING.put(_immediate(text))
    elif kind == "s":
        if text not in isa.SPECIALS:
            raise ValueError(f"unknown special register {text!r}")
        fields["b"] = isa.SPECIALS[text]
    else:
        _parse_address(text, fields)


def _parse_address(text: str, fields: dict[str, int | bool | None]) -> None:
    match = _ADDRESS.match(text)
    if not match:
        raise ValueError(f"expected an address like [r1+4] or [0x10], got {text!r}")
    register, sign, offset, absolute = match.groups()
    if register is None:
        fields |= {"ra": None, "b": _immediate(absolute), "bimm": True}
        return
    fields["ra"] = _numbered("r", register, isa.REGISTERS)
    if offset and re.fullmatch(r"r\d+", offset) and sign == "+":
        fields |= {"b": _numbered("r", offset, isa.REGISTERS), "bimm": False}
    else:
        fields |= {"b": _immediate((sign or "") + (offset or "0")), "bimm": True}


def _numbered(letter: str, text: str, count: int) -> int:
    if not re.fullmatch(rf"{letter}\d+", text) or int(text[1:]) >= count:
        raise ValueError(f"expected {letter}0 to {letter}{count - 1}, got {text!r}")
    return int(text[1:])


def _immediate(text: str) -> int:
    try:
        value = int(text, 0)
    except ValueError:
        raise ValueError(f"expected a number, a register or a label, got {text!r}") from None
    if not -(1 << 31) <= value < 1 << 32:
        raise ValueError(f"{text} does not fit 32 bits")
    return value & isa.MASK32
