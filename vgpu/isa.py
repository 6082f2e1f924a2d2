"""The instruction set: one table that every other part of the machine reads.

An instruction is 64 bits. `FIELDS` says where each operand lies and `OPS` what each opcode
does with them. The encoder and decoder (here), the assembler (`vgpu.asm`), the interpreter
(`vgpu.interpreter`), the circuit (`vgpu.machine`) and docs/isa.md are all driven by these two.

Adding an instruction is one row in `OPS`, one function in the interpreter, one in the
circuit and one test.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

REGISTERS: Final = 32
PREDICATES: Final = 8
MASK32: Final = 0xFFFFFFFF


@dataclass(frozen=True)
class Field:
    """A bit field of the instruction word: bits `low` to `low + width - 1`."""

    name: str
    low: int
    width: int
    doc: str

    def get(self, word: int) -> int:
        return (word >> self.low) & ((1 << self.width) - 1)

    def put(self, value: int) -> int:
        if not 0 <= value < (1 << self.width):
            raise ValueError(f"field {self.name}: {value} does not fit {self.width} bits")
        return value << self.low


FIELDS: Final = {
    f.name: f
    for f in (
        Field("imm", 0, 32, "immediate B operand; register B in the low 5 bits when bimm is 0"),
        Field("rd", 32, 5, "destination register; destination predicate in the low 3 bits"),
        Field("ra", 37, 5, "register A"),
        Field("rc", 42, 5, "register C; carry-out predicate in the low 3 bits"),
        Field("q", 47, 3, "source predicate"),
        Field(
            "qneg", 50, 1, "negate the source predicate; opcodes below 64 have none: A reads as 0"
        ),
        Field("guard", 51, 3, "guard predicate"),
        Field("gneg", 54, 1, "negate the guard"),
        Field("guarded", 55, 1, "execute only when the guard holds"),
        Field("bimm", 56, 1, "operand B is the immediate"),
        Field("op", 57, 7, "opcode"),
    )
}


@dataclass(frozen=True)
class Op:
    """One row of the instruction table.

    `form` is the assembler's operand list: d destination register, p destination predicate,
    w carry-out predicate, a/b/c source operands (b is a register or an immediate), q and r source
    predicates, s special register, k 4-bit truth table, m meeting (0 when left out), [a+i] an
    address. `lines` names what the
    circuit switches on for this opcode (see `vgpu.blocks.decode`).
    """

    name: str
    code: int
    form: str
    lines: tuple[str, ...]
    doc: str

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(self.form.split(",")) if self.form else ()

    @property
    def reads_a(self) -> bool:
        return any(o in ("a", "[a+i]") for o in self.operands)

    @property
    def reads_b(self) -> bool:
        return any(o in ("b", "[a+i]") for o in self.operands)

    @property
    def reads_c(self) -> bool:
        return "c" in self.operands

    @property
    def writes_register(self) -> bool:
        return "d" in self.operands

    @property
    def writes_predicate(self) -> bool:
        return "p" in self.operands

    @property
    def writes_carry(self) -> bool:
        return "w" in self.operands

    @property
    def reads_q(self) -> bool:
        return "q" in self.operands

    @property
    def is_load(self) -> bool:
        return "load" in self.lines or "lock" in self.lines

    @property
    def is_store(self) -> bool:
        return "store" in self.lines


_RELATIONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")


def _setp_rows() -> list[Op]:
    signs = {"eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥"}
    rows = []
    for i, relation in enumerate(_RELATIONS[:2]):
        rows.append(
            Op(f"setp.{relation}", 0x24 + i, "p,a,b", ("compare", f"p_{relation}"),
               f"p = (a {signs[relation]} b)")
        )  # fmt: skip
    for k, (suffix, word) in enumerate((("s", "signed"), ("u", "unsigned"))):
        for i, relation in enumerate(_RELATIONS[2:]):
            lines = ("compare", f"p_{relation}") + (("signed",) if suffix == "s" else ())
            rows.append(
                Op(f"setp.{relation}.{suffix}", 0x26 + 4 * k + i, "p,a,b", lines,
                   f"p = (a {signs[relation]} b), {word}")
            )  # fmt: skip
    return rows


_ROWS: Final = [
    Op("mov", 0x01, "d,b", ("take_b",), "d = b"),
    Op("s2r", 0x02, "d,s", ("take_b", "special"), "d = special register"),
    Op("add", 0x04, "d,a,b", ("add",), "d = a + b mod 2**32"),
    Op("sub", 0x05, "d,a,b", ("add", "invert"), "d = a - b mod 2**32"),
    Op("add.co", 0x0E, "d,w,a,b", ("add", "carry"), "d = a + b; w = carry out"),
    Op("sub.co", 0x0F, "d,w,a,b", ("add", "invert", "borrow"), "d = a - b; w = borrow out"),
    Op("mul", 0x06, "d,a,b", ("mul_lo",), "d = low 32 bits of a * b"),
    Op("mad", 0x07, "d,a,b,c", ("mul_lo",), "d = low 32 bits of a * b + c"),
    Op("mulhi.u", 0x08, "d,a,b", ("mul_hi",), "d = high 32 bits of the unsigned product a * b"),
    Op("mulhi.s", 0x09, "d,a,b", ("mul_hi", "mul_signed"), "d = high 32 bits, signed product"),
    Op("and", 0x0A, "d,a,b", ("l_and",), "d = a & b"),
    Op("or", 0x0B, "d,a,b", ("l_or",), "d = a | b"),
    Op("xor", 0x0C, "d,a,b", ("l_xor",), "d = a ^ b"),
    Op("not", 0x0D, "d,b", ("l_not",), "d = ~b"),
    Op("shl", 0x10, "d,a,b", ("shift", "left"), "d = a << b; 0 when b >= 32"),
    Op("shr", 0x11, "d,a,b", ("shift",), "d = a >> b, zeros shifted in; 0 when b >= 32"),
    Op("sar", 0x12, "d,a,b", ("shift", "arith"), "d = a >> b, sign shifted in; sign when b >= 32"),
    Op("shf.l.wrap", 0x18, "d,a,b,c", ("shift", "left", "wrap"),
       "d = high word of (a:c) << (b & 31)"),
    Op("shf.r.wrap", 0x19, "d,a,b,c", ("shift", "wrap"), "d = low word of (c:a) >> (b & 31)"),
    Op("shf.l.clamp", 0x1A, "d,a,b,c", ("shift", "left", "clamp"),
       "d = high word of (a:c) << min(b, 32)"),
    Op("shf.r.clamp", 0x1B, "d,a,b,c", ("shift", "clamp"),
       "d = low word of (c:a) >> min(b, 32)"),
    Op("clz", 0x1C, "d,b", ("clz",), "d = leading zero bits of b, 32 when b = 0"),
    Op("popc", 0x1D, "d,b", ("popc",), "d = one bits of b"),
    Op("brev", 0x1E, "d,b", ("brev",), "d = b with its bits in reverse order"),
    Op("prmt", 0x1F, "d,a,b,c", ("prmt",),
       "byte i of d = byte s of (c:a), s = bits 4i to 4i+2 of b; its sign bit 8 times when 4i+3"),
    Op("min.s", 0x14, "d,a,b", ("compare", "minimum", "signed"), "d = signed minimum"),
    Op("min.u", 0x15, "d,a,b", ("compare", "minimum"), "d = unsigned minimum"),
    Op("max.s", 0x16, "d,a,b", ("compare", "maximum", "signed"), "d = signed maximum"),
    Op("max.u", 0x17, "d,a,b", ("compare", "maximum"), "d = unsigned maximum"),
    Op("bra", 0x20, "b", ("branch",), "continue at instruction b (a label or a register)"),
    Op("bar", 0x21, "", ("barrier",), "wait until every thread of the block waits or has exited"),
    Op("exit", 0x22, "", ("exit",), "this thread is done"),
    Op("trap", 0x23, "b", ("trap", "take_b"), "fault; b tells the reason (1: division by zero)"),
    Op("bar.warp", 0x3C, "c,m", ("warp",),
       "wait for the lanes of the warp whose bit is set in c, at meeting m"),
    Op("shfl", 0x3D, "d,a,b,c,m", ("warp", "shfl", "warp_writes"),
       "d = a of lane b (mod 32) of the warp, once the lanes in the mask c are at meeting m"),
    Op("ld.u8", 0x30, "d,[a+i]", ("load", "size_b"), "d = byte at a + i, zero-extended"),
    Op("ld.s8", 0x31, "d,[a+i]", ("load", "size_b", "extend"), "d = byte at a + i, sign-extended"),
    Op("ld.u16", 0x32, "d,[a+i]", ("load", "size_h"), "d = half word at a + i, zero-extended"),
    Op("ld.s16", 0x33, "d,[a+i]", ("load", "size_h", "extend"), "d = half word, sign-extended"),
    Op("ld.b32", 0x34, "d,[a+i]", ("load", "size_w"), "d = word at a + i"),
    Op("st.b8", 0x38, "[a+i],c", ("store", "size_b"), "byte at a + i = c"),
    Op("st.b16", 0x39, "[a+i],c", ("store", "size_h"), "half word at a + i = c"),
    Op("st.b32", 0x3A, "[a+i],c", ("store", "size_w"), "word at a + i = c"),
    Op("ld.lock", 0x35, "d,[a+i]", ("lock", "size_w"),
       "d = word at a + i, and hold the address; waits while another thread holds it"),
    Op("st.unlock", 0x3B, "[a+i],c", ("store", "size_w", "unlock"),
       "word at a + i = c, and give up the hold"),
    Op("addc", 0x42, "d,w,a,b,q", ("add", "carry_in", "carry"), "d = a + b + q; w = carry out"),
    Op("subc", 0x43, "d,w,a,b,q", ("add", "invert", "carry_in", "borrow"),
       "d = a - b - q; w = borrow out"),
    Op("vote", 0x44, "d,c,q,m", ("warp", "vote", "warp_writes"),
       "d = one bit a lane: q of the lanes in the mask c, once they are at meeting m"),
    Op("selp", 0x40, "d,a,b,q", ("select",), "d = q ? a : b"),
    Op("plop", 0x41, "p,q,r,k", ("p_logic",), "p = bit 2*q + r of the truth table k"),
    *_setp_rows(),
]  # fmt: skip

OPS: Final = {op.name: op for op in _ROWS}
BY_CODE: Final = {op.code: op for op in _ROWS}

# plop takes its second predicate and its truth table from the immediate.
PLOP_R: Final = Field("plop_r", 0, 3, "second source predicate of plop")
PLOP_TABLE: Final = Field("plop_k", 8, 4, "truth table of plop: bit 2*q + r")

# Warp operations take the number of their meeting from the immediate, above a lane or a register.
# Lanes meet where the numbers are equal: operations with different masks have different ones.
MEETING: Final = Field("meeting", 8, 3, "meeting of shfl, vote and bar.warp")
MEETINGS: Final = 1 << MEETING.width

# What an s2r names: 0x10 and up are the thread's own, the others are shared by the block.
SPECIALS: Final = {
    "%tid.x": 0x10, "%tid.y": 0x11, "%tid.z": 0x12, "%local": 0x13, "%laneid": 0x14,
    "%warpid": 0x15,
    "%ntid.x": 0, "%ntid.y": 1, "%ntid.z": 2,
    "%ctaid.x": 4, "%ctaid.y": 5, "%ctaid.z": 6,
    "%nctaid.x": 8, "%nctaid.y": 9, "%nctaid.z": 10,
}  # fmt: skip
SPECIAL_PER_THREAD: Final = 0x10
SPECIAL_NAMES: Final = {index: name for name, index in SPECIALS.items()}


# Changes with the encoding: a stored program of another one must not run.
FINGERPRINT: Final = hashlib.sha256(
    repr(
        [(f.name, f.low, f.width) for f in FIELDS.values()]
        + [(o.name, o.code, o.form) for o in _ROWS]
        + sorted(SPECIALS.items())
    ).encode()
).hexdigest()[:12]


@dataclass(frozen=True)
class Instruction:
    """One decoded instruction. `b` is the immediate (0 to 2**32 - 1) or the register number.

    `ra=None` reads A as 0 (written `rz`; only opcodes without a source predicate can).
    `guard=None` executes always. `plop` keeps r and k inside `b` (see `PLOP_R`, `PLOP_TABLE`).
    """

    op: str
    rd: int = 0
    ra: int | None = 0
    b: int = 0
    bimm: bool = False
    rc: int = 0
    q: int = 0
    qneg: bool = False
    guard: int | None = None
    gneg: bool = False

    def encode(self) -> int:
        """The 64-bit word. Raises ValueError when an operand does not fit its field."""
        op = OPS[self.op]
        f = FIELDS
        word = f["op"].put(op.code) | f["rd"].put(self.rd) | f["rc"].put(self.rc)
        word |= f["imm"].put(self.b & MASK32) | f["bimm"].put(int(self.bimm))
        if self.ra is None:
            if op.reads_q:
                raise ValueError(f"{self.op}: operand a cannot be rz")
            word |= f["qneg"].put(1)
        else:
            word |= f["ra"].put(self.ra)
        if op.reads_q:
            word |= f["q"].put(self.q) | f["qneg"].put(int(self.qneg))
        if self.guard is not None:
            word |= f["guard"].put(self.guard) | f["gneg"].put(int(self.gneg))
            word |= f["guarded"].put(1)
        return word


def decode(word: int) -> Instruction | None:
    """The instruction that a 64-bit word encodes, or None for an undefined opcode."""
    get = {name: field.get(word) for name, field in FIELDS.items()}
    op = BY_CODE.get(get["op"])
    if op is None:
        return None
    no_a = bool(get["qneg"]) and not op.reads_q
    return Instruction(
        op=op.name,
        rd=get["rd"],
        ra=None if no_a else get["ra"],
        b=get["imm"],
        bimm=bool(get["bimm"]),
        rc=get["rc"],
        q=get["q"] if op.reads_q else 0,
        qneg=bool(get["qneg"]) and op.reads_q,
        guard=get["guard"] if get["guarded"] else None,
        gneg=bool(get["gneg"]) and bool(get["guarded"]),
    )
