"""Mistakes: one line that says what is wrong and where, the right exit status, no traceback."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCALE = """__global__ void scale(int *data, int n) {
  data[threadIdx.x] *= n;
}
"""
TWO = """__global__ void one(int *out) { *out = threadIdx.x + 1; }
__global__ void two(int *out) { *out = threadIdx.x + 2; }
"""
ENDLESS = """__global__ void endless(volatile int *out) {
  while (1)
    *out = 1;
}
"""
TRAP = """__global__ void stop(int *out) {
  *out = 1;
  asm volatile("trap;");
}
"""
UNSUPPORTED = "vadd4.s32.s32.s32.add"
PTX = f""".version 6.3
.target sm_75
.address_size 32
.visible .entry k(.param .u32 out)
{{
    .reg .b32 %r<8>;
    ld.param.u32 %r1, [out];
    {UNSUPPORTED} %r2, %r1, %r1, %r1;
    st.global.u32 [%r1], %r2;
    ret;
}}
"""
INLINE = f"""__global__ void k(int *out) {{
  int x = threadIdx.x;
  asm volatile("{UNSUPPORTED} %0, %1, %1, %1;" : "=r"(x) : "r"(x));
  *out = x;
}}
"""
Cli = Callable[..., Any]
Write = Callable[[str, str], Path]


def fails(cli: Cli, status: int, *arguments: object) -> str:
    """The one line of a call that must end with `status`."""
    done = cli(*arguments)
    line: str = done.complaint
    assert done.status == status, line
    return line


@pytest.mark.parametrize("command", ["compile", "run"])
@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("__global__ void k(int *out) {\n  *out = x;\n}\n", 2, 10, "undeclared identifier 'x'"),
        ("__global__ void k(int *out) {\n  *out = 1\n}\n", 2, 11, "expected ';'"),
        ("__global__ void k(int *out) {\n  int y = out;\n  *out = y;\n}\n", 2, 7, "initialize"),
    ],
)
def test_a_kernel_with_a_mistake(
    command: str, text: str, line: int, column: int, message: str, cli: Cli, write: Write
) -> None:
    path = write("wrong.cu", text)
    told = fails(cli, 2, command, path)
    assert f"wrong.cu:{line}:{column}: " in told
    assert message in told


@pytest.mark.parametrize(("name", "text", "line"), [("k.ptx", PTX, 8), ("k.cu", INLINE, 3)])
def test_an_unsupported_instruction(
    name: str, text: str, line: int, cli: Cli, write: Write
) -> None:
    told = fails(cli, 2, "compile", write(name, text))
    assert UNSUPPORTED in told
    assert re.search(rf"{name}:{line}\b", told)


def test_ptx_that_is_not_ptx(cli: Cli, write: Write) -> None:
    told = fails(cli, 2, "compile", write("k.ptx", PTX.replace("st.global.u32 [%r1]", "st.] (")))
    assert re.search(r"k\.ptx:9\b", told)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--in", "data=1,x"), r'whole number.*"x"'),
        (("--in", "data=1,,2"), r"whole number"),
        (("--in", "data=1.5"), r"whole number"),
        (("--in", "data="), r"empty"),
        (("--in", "data"), r"NAME\[:TYPE\]=V"),
        (("--in", "=1"), r"NAME\[:TYPE\]=V"),
        (("--in", "dat=1"), r"dat.*data"),
        (("--in", "3=1"), r"3"),
        (("--in", "0=1"), r"0"),
        (("--in", "data:int=1"), r"int.*i8.*f32"),
        (("--in", "data=2147483648"), r"2147483648.*-2147483648.*2147483647"),
        (("--in", "data:i8=-129"), r"-129.*-128.*127"),
        (("--in", "data:u16=-1"), r"-1.*0.*65535"),
        (("--in", "n=1"), r"n.*--set"),
        (("--set", "data=1"), r"data.*--in"),
        (("--in", "data=1", "--in", "data=2"), r"data"),
        (("--out", "data=0"), r"at least 1"),
        (("--out", "data=x"), r"data=x"),
        (("--out", "data=-3"), r"data=-3"),
        (("--set", "n=1,2"), r"n=1,2"),
    ],
)
def test_a_bad_parameter(options: tuple[str, ...], expected: str, cli: Cli, write: Write) -> None:
    given = " ".join(options)
    rest = [] if "n=" in given else ["--set", "n=2"]
    rest += [] if "--in" in given or "--out" in given else ["--in", "data=1"]
    told = fails(cli, 2, "run", write("k.cu", SCALE), *options, *rest)
    assert re.search(expected, told), told


def test_a_parameter_left_out(cli: Cli, write: Write) -> None:
    assert "n" in fails(cli, 2, "run", write("k.cu", SCALE), "--in", "data=1")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--block", "129"), r"129.*128"),
        (("--block", "64,3"), r"192.*128"),
        (("--block", "0"), r"block.*0"),
        (("--block", "x"), r"block.*x"),
        (("--grid", "1,2,3,4"), r"grid.*1,2,3,4"),
        (("--grid", "-1"), r"grid"),
        (("--shared", "-4"), r"shared.*-4"),
        (("--shared", "many"), r"shared.*integer"),
        (("--shared", "20000"), r"16,?384"),
        (("--out", "data=5000"), r"16,?384"),
        (("--engine", "gpu"), r"gpu.*sparse.*dense.*interpreter"),
        (("--max-passes", "x"), r"max-passes.*integer"),
        (("--kernel", "scaled"), r"scaled.*scale"),
        (("--trace", "no/such/folder/t.jsonl"), r"no/such/folder"),
        (("--bogus",), r"--bogus"),
    ],
)
def test_a_bad_launch(options: tuple[str, ...], expected: str, cli: Cli, write: Write) -> None:
    rest = [] if "--out" in options else ["--in", "data=1"]
    told = fails(cli, 2, "run", write("k.cu", SCALE), "--set", "n=2", *rest, *options)
    assert re.search(expected, told), told


def test_files(cli: Cli, write: Write, tmp_path: Path) -> None:
    for command in ("run", "compile"):
        assert "gone.cu" in fails(cli, 2, command, tmp_path / "gone.cu")
        assert str(tmp_path) in fails(cli, 2, command, tmp_path)
        assert ".cu" in fails(cli, 2, command, write("kernel.txt", SCALE))
        assert "one, two" in fails(cli, 2, command, write("two.cu", TWO))
        assert "none.cu" in fails(cli, 2, command, write("none.cu", "int x;\n"))
        assert "empty.cu" in fails(cli, 2, command, write("empty.cu", ""))
    assert "broken.vgpu" in fails(cli, 2, "run", write("broken.vgpu", "{}"))


def test_commands(cli: Cli) -> None:
    assert "frobnicate" in fails(cli, 2, "frobnicate")
    assert "FILE" in fails(cli, 2, "run")
    assert "programs" in fails(cli, 2, "verify", "--programs", "0")
    assert "programs" in fails(cli, 2, "verify", "--programs", "some")
    assert "gone" in fails(cli, 2, "verify", "--cases", "gone")


@pytest.mark.parametrize("engine", ["interpreter", "sparse"])
def test_the_pass_budget(engine: str, cli: Cli, write: Write) -> None:
    """Exit status 1; the line names the pc, the instruction and where it came from."""
    path = write("endless.cu", ENDLESS)
    told = fails(
        cli, 1, "run", path, "--out", "out=1", "--max-passes", 300, "--engine", engine, "--json"
    )
    assert "300 passes" in told
    assert re.search(r"\bpc \d+\b", told)
    assert re.search(r"\b(st\.b32|bra|mov|ld\.b32)\b", told)
    assert re.search(r"endless\.cu:[23]\b", told)


@pytest.mark.parametrize("engine", ["interpreter", "sparse"])
def test_a_fault(engine: str, cli: Cli, write: Write) -> None:
    told = fails(cli, 1, "run", write("stop.cu", TRAP), "--out", "out=1", "--engine", engine)
    assert "trap" in told
    assert re.search(r"\bpc \d+\b", told)
    assert re.search(r"stop\.cu:3\b", told)


def test_a_store_outside_the_memory_is_a_fault(cli: Cli, write: Write) -> None:
    path = write("far.cu", "__global__ void far(int *out, int i) {\n  out[i] = 1;\n}\n")
    told = fails(cli, 1, "run", path, "--out", "out=1", "--set", "i=100000")
    assert re.search(r"far\.cu:2\b", told)


def test_the_shell_sees_the_same(shell: Cli, write: Write) -> None:
    done = shell("run", write("k.cu", SCALE), "--in", "data=1,x", "--set", "n=1", "--json")
    assert done.status == 2
    assert "whole number" in done.complaint
