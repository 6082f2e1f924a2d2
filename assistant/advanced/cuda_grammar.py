"""The grammar (Lark, as llguidance takes it) of the CUDA that a host may write for one task.

What it allows compiles, nearly always. Names are declared before they are used: the rules carry a
64-bit number [llguidance, parametric grammars] whose bits say which names are in scope, how deep
the braces are, whether a loop is open, whether one number comes out and how many statements the
block has; a rule that opens a block hands it a changed number, and what follows the block has the
old one. Layout is fixed: four spaces a level, one statement a line.

All 32 threads run the outermost block, so what stands there is what makes sense for all of them:
declarations, a loop that shares a list among the threads, a condition that chooses threads.

llguidance loses a change of the number in a rule of one symbol, and cannot join two changes: each
stands beside a text, and what takes one has a condition. Its lexer does not go back: no text may
begin like the next one of two ("for (int " and "for (").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from assistant.advanced.cuda_names import Names
from assistant.advanced.signature import OUT, Signature

INDENT = "    "
MOST_DEPTH = 5
MOST_STATEMENTS = 12  # of one block
SINGLE = "out[0]"  # the extent of one number
_TOGETHER = ("step", "base", "round")  # variables of loops that threads run through together
_START = ("first", "stride")  # where a loop that shares a list begins, and such a one

_RULES = r"""
start: "// gives " extents "\n"
order: "; order " ("free" | "matters") "\n"

line::_: pad::_ statement::incr(COUNT)                 %if lt(COUNT, MOST)
  | close::_
inner::_: "{" deeper::incr(DEPTH)                      %if lt(DEPTH, DEEPEST)
deeper::_: "\n" line::bit_and(KEEP)                    %if le(DEPTH, DEEPEST)
loop::_: " " inner::set_bit(LOOP)                      %if lt(DEPTH, DEEPEST)

statement::_: "int " declared::_
  | "long long " declared::_
  | "__shared__ int " shared::_                        %if eq(DEPTH, 0)
  | "int " buffer::_                                   %if lt(DEPTH, 2)
  | simple::_ line::_                                  %if gt(DEPTH, 0)
  | own::_ ";\n" line::_                               %if eq(DEPTH, 0)
  | "__syncthreads();\n" line::_                       %if lt(DEPTH, 3)
  | "if (" condition::_ ") " simple::_ otherwise::_     %if gt(DEPTH, 0)
  | "if (" condition::_ ") " branches::_               %if gt(DEPTH, 0)
  | "if (" chosen::_ ") " simple::_ otherwise::_       %if eq(DEPTH, 0)
  | "if (" chosen::_ ") " branches::_                  %if eq(DEPTH, 0)
  | "while (" condition::_ ")" repeated::_             %if gt(DEPTH, 0)
  | "do" loop::_ " while (" condition::_ ");\n" line::_ %if gt(DEPTH, 0)
  | "for (" "int " counted::_                          %if gt(DEPTH, 0)
  | "for (" "int " spread::_                           %if eq(DEPTH, 0)
  | "for (" changed::_ "; " condition::_ "; " step::_ ")" repeated::_ %if gt(DEPTH, 0)
otherwise::_: line::_
  | pad::_ "else " simple::_ line::_
  | pad::_ "else " inner::_ "\n" line::_
  | pad::_ "else " "if (" condition::_ ") " simple::_ otherwise::_
branches::_: inner::_ "\n" line::_
  | inner::_ " else " inner::_ "\n" line::_
  | inner::_ " else " "if (" condition::_ ") " branches::_
repeated::_: loop::_ "\n" line::_
  | " " simple::_ line::_
body::_: loop::_
  | " " single::_
single::_: action::_ ";"
simple::_: action::_ ";\n"
  | "{ " (changed::_ "; "){1,3} "}\n"
own::_: local::_ ASSIGN value::_
  | atomic::_
chosen::_: "threadIdx.x" REL sum1::_ (" && " test2::_){0,2}
  | local::_ REL sum1::_ (" && " test2::_){0,2}
  | local::_
action::_: changed::_
  | step::_
  | atomic::_
  | "return"
  | "break"                                            %if bit_set(LOOP)
  | "continue"                                         %if bit_set(LOOP)
changed::_: cell::_ ASSIGN value::_
  | local::_ ASSIGN value::_
  | (SCALARS) ASSIGN value::_
step::_: local::_ STEP
  | local::_ CHANGE sum1::_
  | (SCALARS) STEP
  | cell::_ STEP
atomic::_: "atomic" ATOMIC "(" target::_ ", " sum2::_ ")"
target::_: "OUT"
  | "&" cell::_
cell::_: "OUT[" index::_ "]"                           %if bit_clear(SINGLE)
  | "OUT[0]"                                           %if bit_set(SINGLE)
  | array::_ "[" index::_ "]"
  | scalar::_

value::_: sum2::_
  | sum2::_ REL sum2::_
  | test2::_ (" && " test2::_){1,3}
  | test2::_ (" || " test2::_){1,3}
  | condition::_ " ? " sum2::_ " : " sum2::_
index::_: sum1::_
  | local::_ STEP
condition::_: test2::_
  | test2::_ (" && " test2::_){1,3}
  | test2::_ (" || " test2::_){1,3}
test2::_: sum2::_ REL sum2::_
  | "!" atom::_
  | "(" test1::_ ((" && " | " || ") test1::_){1,2} ")"
  | sum2::_
test1::_: sum1::_ REL sum1::_
  | flag::_
flag::_: local::_
  | near::_
  | local::_ " & " atom::_

atom::_: SCALARS
  | INTEGER
  | "threadIdx.x"
  | local::_
  | scalar::_
term1::_: atom::_
  | "-" atom::_
  | near::_
  | "(" atom::_ (OP atom::_){1,3} ")"
term2::_: atom::_
  | "-" atom::_
  | "~" atom::_
  | element::_
  | "(" sum1::_ ")"
  | "-(" sum1::_ ")"
  | "(" sum1::_ REL sum1::_ ")"
  | TWO "(" inside::_ ", " inside::_ ")"
  | ONE "(" inside::_ ")"
  | warp::_
warp::_: SHUFFLE "(0xffffffff, " sum1::_ ", " sum1::_ ")"
  | VOTE "(0xffffffff, " test1::_ ")"
inside::_: sum1::_
  | warp::_
  | TWO "(" sum1::_ ", " sum1::_ ")"
  | ONE "(" sum1::_ ")"
sum1::_: term1::_ (OP term1::_){0,3}
sum2::_: term2::_ (OP term2::_){0,4}
element::_: array::_ "[" index::_ "]"
  | "OUT[" index::_ "]"                                %if bit_clear(SINGLE)
  | "OUT[0]"                                           %if bit_set(SINGLE)ELEMENTS
near::_: array::_ "[" plain::_ "]"
  | "OUT[" plain::_ "]"                                %if bit_clear(SINGLE)
  | "OUT[0]"                                           %if bit_set(SINGLE)NEAR
plain::_: atom::_ (OP atom::_){0,3}

ASSIGN: / ([-+*\/%|^&]|<<|>>)?= /
CHANGE: / ([-+*\/]|<<|>>)= /
STEP: "++" | "--"
REL: " < " | " <= " | " > " | " >= " | " == " | " != "
OP: " + " | " - " | " * " | " / " | " % " | " & " | " | " | " ^ " | " << " | " >> "
TWO: "min" | "max"
ONE: "abs" | "__popc" | "__clz" | "__ffs"
ATOMIC: "Add" | "Max" | "Min" | "Or" | "And" | "Xor" | "Exch" | "Sub"
VOTE: "__any_sync" | "__all_sync" | "__ballot_sync"
SHUFFLE: "__shfl_down_sync" | "__shfl_up_sync" | "__shfl_xor_sync" | "__shfl_sync"
INTEGER: /[0-9]|[1-9][0-9]{1,3}|10000|100000|1000000|1000000000|1000000007|2147483647/
"""


@dataclass(frozen=True)
class _Bits:
    """Which bits of the number stand for what. `of` numbers (kind, name)."""

    of: Mapping[tuple[str, str], int]
    depth: int = field(init=False)
    loop: int = field(init=False)
    count: int = field(init=False)
    single: int = field(init=False)

    def __post_init__(self) -> None:
        depth = len(self.of)
        places = {"depth": 0, "loop": 3, "single": 4, "count": 5}
        for name, bit in ((name, depth + more) for name, more in places.items()):
            object.__setattr__(self, name, bit)


def grammar(
    signature: Signature, extents: Iterable[str], names: Names, *, serial: bool = False
) -> str:
    """The grammar of the texts that begin with a header line and are one kernel of `signature`.

    `extents` are the ways to say which numbers of `out` are the result (`assistant.advanced.
    extent`); with one there is no choice. `names` are those that a kernel may declare. `serial`:
    one thread does all.
    """
    known = names.without(p.name for p in signature.parameters)
    bits = _Bits({pair: bit for bit, pair in enumerate(known.pairs)})
    reads = [p.name for p in signature.arrays]
    scalars = " | ".join(f'"{p.name}"' for p in signature.scalars) or '"threadIdx.x"'
    replacements = {
        "SCALARS": scalars,
        "ELEMENTS": "".join(f'\n  | "{name}[" index::_ "]"' for name in reads),
        "NEAR": "".join(f'\n  | "{name}[" plain::_ "]"' for name in reads),
        "COUNT": f"[{bits.count}:{bits.count + 4}]",
        "DEPTH": f"[{bits.depth}:{bits.depth + 3}]",
        "DEEPEST": str(MOST_DEPTH - 1),
        "MOST": str(MOST_STATEMENTS),
        "KEEP": hex((1 << bits.count) - 1),
        "(LOOP)": f"({bits.loop})",
        "(SINGLE)": f"({bits.single})",
        '"OUT': f'"{OUT}',
    }
    begin = f" {_quoted(f'{INDENT}if (threadIdx.x == 0) {{{chr(10)}')}" if serial else ""
    end = f" {_quoted(chr(10) + '}')}" if serial else ""
    rules = _RULES
    for name, put in replacements.items():
        rules = rules.replace(name, put)
    return "\n".join(
        [
            rules,
            *_names(known, bits),
            *_layout(bits),
            f"HEAD: {_quoted(f'{signature} {{')} {_quoted(chr(10))}",
            "extents: "
            + "\n  | ".join(
                f"{_quoted(extent)} order HEAD{begin}"
                f" line::{hex(serial << bits.depth | (extent == SINGLE) << bits.single)}{end}"
                for extent in extents
            ),
        ]
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _names(known: Names, bits: _Bits) -> Iterator[str]:
    """How names are declared, and used once they are."""
    rules: dict[str, list[str]] = {
        "declared": [], "counted": [], "spread": [], "local": [], "shared": [], "scalar": [],
        "array": [], "buffer": [],
    }  # fmt: skip
    for (kind, name), bit in bits.of.items():
        # No second name of the same spelling, whatever its kind.
        same = [bits.of[pair] for pair in bits.of if pair[1] == name]
        clear = [f"bit_clear({other})" for other in same]
        new = f"%if {clear[0]}" if len(clear) == 1 else f"%if {_all(clear)}"
        there = f"%if bit_set({bit})"
        if kind == "local":
            rules["declared"].append(f'"{name} = " value::_ more::set_bit({bit}) {new}')
            ahead = f'"{name} = " value::_ "; " heads::set_bit({bit}) "\\n" line::_ {new}'
            rules["counted"].append(ahead)
            rules["spread"].append(ahead.replace("value::_", f"{_START[name in _TOGETHER]}", 1))
            rules["local"].append(f'"{name}" {there}')
        elif kind == "shared":
            rules["shared"].append(f'"{name}" further::set_bit({bit}) {new}')
            rules["scalar"].append(f'"{name}" {there}')
        else:
            rules["shared"].append(f'"{name}[" SIZE "]" further::set_bit({bit}) {new}')
            rules["buffer"].append(f'"{name}[" SIZE "]" zeroed line::set_bit({bit}) {new}')
            rules["array"].append(f'"{name}" {there}')
    for rule, ways in rules.items():
        yield f"{rule}::_: " + "\n  | ".join(ways)
    yield 'more::_: ", " declared::_\n  | ";\\n" line::_'
    yield 'further::_: ", " shared::_\n  | ";\\n" line::_'
    yield 'heads::_: condition::_ "; " step::_ ")" body::_'
    yield 'first: "threadIdx.x"\n  | "threadIdx.x + " INTEGER'
    yield 'stride: "16" | "1" | "0"'
    yield 'zeroed: (" = {0}")? ";\\n"'
    yield f"SIZE: /{'|'.join(map(str, known.sizes))}/"


def _all(conditions: list[str]) -> str:
    first, *rest = conditions
    return f"and({first}, {_all(rest)})" if rest else first


def _layout(bits: _Bits) -> Iterator[str]:
    """The spaces before a statement, and what ends a block."""
    for rule, start, end in (("pad", 1, ""), ("close", 0, "}")):
        ways = [
            f'"{INDENT * (start + depth)}{end}" %if eq([{bits.depth}:{bits.depth + 3}], {depth})'
            for depth in range(MOST_DEPTH)
        ]
        yield f"{rule}::_: " + "\n  | ".join(ways)
