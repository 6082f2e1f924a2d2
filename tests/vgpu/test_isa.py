"""The instruction table: encoding, decoding and the assembler are inverse to each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vgpu import asm, isa
from vgpu.errors import InputError

registers = st.integers(0, 31)
predicates = st.integers(0, 7)
immediates = st.one_of(
    st.sampled_from([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]), st.integers(0, isa.MASK32)
)


@st.composite
def instructions(draw: st.DrawFn) -> isa.Instruction:
    op = isa.OPS[draw(st.sampled_from(sorted(isa.OPS)))]
    operands = {kind: True for kind in op.operands}
    fields: dict[str, object] = {"ra": 0}
    if op.writes_register:
        fields["rd"] = draw(registers)
    if op.writes_predicate:
        fields["rd"] = draw(predicates)
    if op.reads_a:
        fields["ra"] = draw(registers if op.reads_q else st.none() | registers)
    if op.reads_b:
        fields["bimm"] = draw(st.booleans()) or fields["ra"] is None and "[a+i]" in operands
        fields["b"] = draw(immediates if fields["bimm"] else registers)
    if op.reads_c:
        fields["rc"] = draw(registers)
    if op.reads_q:
        fields |= {"q": draw(predicates), "qneg": draw(st.booleans())}
    if "s" in operands:
        fields["b"] = draw(st.sampled_from(sorted(isa.SPECIALS.values())))
    if "k" in operands:
        table = isa.PLOP_TABLE.put(draw(st.integers(0, 15)))
        fields["b"] = isa.PLOP_R.put(draw(predicates)) | table
    if draw(st.booleans()):
        fields |= {"guard": draw(predicates), "gneg": draw(st.booleans())}
    return isa.Instruction(op.name, **fields)  # type: ignore[arg-type]


@given(instructions())
def test_decode_inverts_encode(instruction: isa.Instruction) -> None:
    assert isa.decode(instruction.encode()) == instruction


@given(st.lists(instructions(), min_size=1, max_size=8))
def test_assemble_inverts_disassemble(program: list[isa.Instruction]) -> None:
    code = [instruction.encode() for instruction in program]
    assert asm.assemble(asm.disassemble(code)) == code


def test_opcodes_and_fields_do_not_overlap() -> None:
    assert len(isa.BY_CODE) == len(isa.OPS)
    assert 0 not in isa.BY_CODE  # memory never written is not a program
    taken = 0
    for field in isa.FIELDS.values():
        mask = ((1 << field.width) - 1) << field.low
        assert taken & mask == 0, field.name
        taken |= mask
    assert taken == (1 << 64) - 1


@given(st.integers(0, (1 << 64) - 1))
def test_undefined_opcodes_decode_to_none(word: int) -> None:
    assert (isa.decode(word) is None) == (word >> 57 not in isa.BY_CODE)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("frob r1, r2", "unknown instruction 'frob'"),
        ("add r1, r2", "takes 3 operands"),
        ("add r1, r32, 1", "expected r0 to r31"),
        ("add r1, r2, 0x100000000", "does not fit 32 bits"),
        ("ld.b32 r1, r2", "expected an address"),
        ("selp rz, r1, r2, p0", "expected r0 to r31"),
        ("selp r0, rz, r2, p0", "operand a cannot be rz"),
        ("s2r r0, %clock", "unknown special register"),
        ("bra nowhere", "expected a number, a register or a label"),
    ],
)
def test_the_assembler_names_the_line_and_the_fault(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match="line 2: ") as caught:
        asm.assemble("exit\n" + text)
    assert complaint in str(caught.value)
