"""Writes docs/ptx.md from the table of rules: `python -m codegen.lower.reference`.

What an instruction becomes is not written by hand: an example of each is compiled, in a kernel that
loads its operands and stores its results, and its machine instructions are listed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from codegen.compiler import ptx_to_program
from codegen.lower.examples import FRAME, TITLES, example
from codegen.lower.function import RULE_MODULES
from codegen.lower.rules import RULES, WHY, Rule
from codegen.lower.specials import supported
from vgpu import isa
from vgpu.program import Program

HEAD: Final = """# PTX

This page is written by `python -m codegen.lower.reference` from the table of rules that the
compiler works by (`codegen/lower`).

PTX of versions 3.0 to 9, with 32- or 64-bit addresses, as clang, LLVM and NVRTC write it or a
person does. An instruction is either computed exactly as the PTX ISA says, or rejected with the
file, line and column, the instruction and what to do instead: modifiers that a rule does not name
are rejected, and so is a register whose type does not agree with the instruction's (PTX ISA 9.4:
`.b` agrees with any type of its size, integers of a size with each other; a register of `ld`, `st`
or `cvt` may be wider). `b`, `s` and `u` types are one where the sign does not matter.

The last column is what an example of the instruction becomes, its operands in registers, after
optimisation: machine instructions (docs/isa.md) with how many of each, `-` for nothing. Division
by a variable and 64-bit division are routines of the device library (`codegen/device/lib`).
"""
TAIL: Final = """
## Directives

`.version` `.target` `.address_size` `.file` `.loc` `.section` `.pragma` `.alias` `.reg` `.global`
`.const` `.shared` `.local` `.param` `.align` `.extern` `.visible` `.weak` `.common`
`.branchtargets` `.callprototype` are read, and those of performance (`.maxntid` `.reqntid`
`.minnctapersm` `.maxnreg` `.noreturn` …) are skipped, as debug sections are. Initial values may
be nested lists, constant expressions, addresses of variables (`generic(x)`, `x+4`) and parts of
them (`0xFF00(x)`); what a list leaves out is 0. Inner scopes may declare registers, variables and
labels again. `WARP_SZ`, hexadecimal, octal and binary numbers, `U` suffixes and `_` sinks are
understood.

## Memory

All state spaces lie in one flat memory, so `cvta` copies and generic accesses are the same as
others. The lanes of a pass take turns and every access is done within its pass: orders, scopes
and fences ask for nothing more, and cache hints are skipped. A strong store in a program that has
atomic operations waits for its turn as they do.
"""


def page() -> str:
    """The page, in Markdown."""
    parts = [HEAD]
    rows: dict[Rule, dict[str, list[str]]] = {}
    for (name, kind), (rule, _) in RULES.items():
        rows.setdefault(rule, {}).setdefault(kind, []).append(name)
    modules = (module.__name__ for module in RULE_MODULES)
    for module in sorted(modules, key=list(TITLES).index):
        parts.append(f"\n## {TITLES[module]}\n\n")
        parts.append(
            "| instruction | types | modifiers | meaning | becomes |\n|---|---|---|---|---|\n"
        )
        for rule, kinds in rows.items():
            if rule.__module__ == module:
                parts += _rows(rule, kinds)
    parts.append(_specials())
    parts.append(_rejected())
    parts.append(TAIL)
    return "".join(parts)


def _rows(rule: Rule, kinds: dict[str, list[str]]) -> list[str]:
    """A row for each instruction of the rule."""
    by_name: dict[str, list[str]] = {}
    for kind, names in kinds.items():
        for name in names:
            by_name.setdefault(name, []).append(kind)
    meaning = " ".join((rule.__doc__ or "").split("\n\n")[0].split())
    found = []
    for name, types in by_name.items():
        mods = " ".join(sorted(RULES[name, types[0]][1]))
        spelled = " ".join(t for t in types if t not in ("any", "none")) or "none"
        becomes = "; ".join(dict.fromkeys(_becomes(name, kind) for kind in types))
        cells = (f"`{name}`", spelled, mods, meaning, becomes)
        found.append(f"| {' | '.join(_escaped(cell) for cell in cells)} |\n")
    return found


def _becomes(name: str, kind: str) -> str:
    """The machine instructions of the example, most of them once."""
    text = example(name, kind)
    if text is None:
        return "rejected"
    ops = Counter(_operations(compiled(text), text, name))
    if not ops:
        return "-"
    total = sum(ops.values())
    if total > 14:
        return f"{total} instructions"
    return ", ".join(op if count == 1 else f"{count} {op}" for op, count in ops.items())


def compiled(text: str) -> Program:
    """The program of one instruction, between loads of its operands and stores of its results."""
    return ptx_to_program(FRAME.replace("EXAMPLE", text), "example", "example.ptx")


def _operations(program: Program, text: str, name: str) -> list[str]:
    """The machine's operations that the instruction `name` of the example became."""
    own = [part.strip() for part in re.split(r"[;:]\s*", text)]
    divides = name in ("div", "rem")  # by the library
    own = [part for part in own if re.match(rf"(@!?%p\d )?{name}\b", part)]
    return [
        decoded.op
        for word, source in zip(program.code, program.source, strict=True)
        if (decoded := isa.decode(word)) and (source.text in own[:1] if source else divides)
    ]


def _specials() -> str:
    names = " ".join(f"`{name}`" for name in supported())
    return (
        f"\n## Special registers\n\n{names}\n\nA clock (`%clock`, `%globaltimer`) is rejected: "
        "the machine has none that a kernel can read.\n"
    )


def _rejected() -> str:
    by_reason: dict[str, list[str]] = {}
    for name, reason in WHY.items():
        by_reason.setdefault(reason, []).append(name)
    lines = [f"| {' '.join(f'`{n}`' for n in names)} | {why} |" for why, names in by_reason.items()]
    head = "\n## Rejected\n\n| instructions and types | reason |\n|---|---|\n"
    return head + "\n".join(lines) + "\n"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "docs"
    (folder / "ptx.md").write_text(page(), encoding="utf-8")
