"""What is no kernel is refused in one line: files of any kind, and PTX with mistakes in it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codegen
from assistant.cli import main
from codegen.clang import find_clang
from codegen.reading import LARGEST, read_text
from vgpu.program import Program

PTX = sorted((Path(__file__).parent / "ptx").glob("*.ptx"))
HEAD = ".version 6.3\n.target sm_75\n.address_size 64\n"
SMALL = [text for text in (p.read_text(encoding="utf-8") for p in PTX) if len(text) < 3000]
WORD = re.compile(r"[.%\w]+|[^\s\w]")


def refused(path: Path) -> str:
    with pytest.raises(codegen.CompileError) as caught:
        codegen.compile_file(path)
    message = str(caught.value)
    assert "\n" not in message and len(message) < 400
    return message


@pytest.mark.parametrize("suffix", [".cu", ".ptx"])
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"abc\0def", "NUL byte"),
        (b"abc\n\xff\xfe", ":2: not a text file (it is not UTF-8)"),
        (bytes(range(256)) * 20, "not a text file"),
        (b"", "no kernel here"),
        (b"// nothing\n/* at all */\n", "no kernel here"),
        (b"{" * 10000, ":1"),
        (b"(" * 10000, ":1"),
        (b"/* open", ":1:1"),
        (b"x" * 5000, ":1"),
    ],
)  # fmt: skip
def test_no_source(tmp_path: Path, suffix: str, content: bytes, told: str) -> None:
    if suffix == ".cu" and find_clang() is None:
        pytest.skip("no clang")
    path = tmp_path / f"bad{suffix}"
    path.write_bytes(content)
    assert told in refused(path)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 << 20)


@pytest.mark.skipif(os.name != "posix", reason="pipes and links of POSIX")
@pytest.mark.parametrize(
    ("make", "told"),
    [
        (_huge, f"104,857,600 bytes; at most {LARGEST['.ptx']:,}"),
        (Path.mkdir, "is a folder"),
        (os.mkfifo, "is no ordinary file"),
        (lambda p: p.symlink_to("/dev/zero"), "is no ordinary file"),
        (lambda p: p.symlink_to("/nonexistent"), "No such file"),
    ],
    ids=["huge", "folder", "pipe", "device", "dangling"],
)
def test_no_file(tmp_path: Path, make: Callable[[Path], None], told: str) -> None:
    path = tmp_path / "bad.ptx"
    make(path)
    assert told in refused(path)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (".visible .entry k() { .reg .b32 %r<1000000000>; ret; }", ":4: 1000000000 registers"),
        (f".visible .entry k() {{ .reg .b32 %r<2>; mov.u32 %r1, {'9' * 9000}; ret; }}",
         ":4: a number of 9,000 digits"),
        (".global .b8 a[4000000000];\n.visible .entry k() { ret; }", "a has 4,000,000,000 bytes"),
        (".visible .entry a() { ret; }\n.visible .entry b() { ret; }", "several kernels here (a"),
        (".visible .entry a() { ret; }\n.visible .entry a() { ret; }", "a is defined twice (first"),
        (".visible .entry a() { ret; } // /* a\n/* b */\n /* c", "comment is not closed"),
        (f".visible .entry a() {{ add.u32 {'r' * 999}, 1, 1; ret; }}", f"'{'r' * 59}…' is not"),
        (".visible .func f() { ret; }", "no kernel here"),
        (".visible .entry k() { .reg .b32 %r<3>; add.s128 %r1, %r1, %r2; ret; }", ":4:40: "),
    ],
)  # fmt: skip
def test_ptx_that_cannot_be(body: str, told: str) -> None:
    with pytest.raises(codegen.CompileError) as caught:
        codegen.ptx_to_program(HEAD + body, name="k.ptx")
    assert told in str(caught.value)


def test_a_text_file_of_another_system(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_bytes(b"\xef\xbb\xbfline\r\nother\r\n")
    assert read_text(path) == "line\nother\n"


@pytest.mark.parametrize("name", ["gone.cu", "dir.cu", "bad.ptx", "bad.vgpu", "deep.vgpu"])
def test_the_command_line_says_so_in_one_line(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dir.cu").mkdir()
    (tmp_path / "bad.ptx").write_bytes(b"\xff")
    (tmp_path / "bad.vgpu").write_text("{}", encoding="utf-8")
    (tmp_path / "deep.vgpu").write_text("[" * 100000, encoding="utf-8")
    for command in ("run", "compile"):
        assert main([command, str(tmp_path / name)]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and printed.err.count("\n") == 1
        assert printed.err.startswith("assistant: ") and name in printed.err


@pytest.mark.parametrize("path", PTX[::12], ids=lambda p: p.stem)
def test_truncated_ptx(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for end in range(0, len(text), 50):
        _program_or_error(text[:end])


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_mutated_ptx_is_a_program_or_an_error(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SMALL))
    for _ in range(data.draw(st.integers(1, 3))):
        text = data.draw(_mutation(text))
    _program_or_error(text)


def _program_or_error(text: str) -> None:
    try:
        assert isinstance(codegen.ptx_to_program(text, name="k.ptx"), Program)
    except codegen.CompileError as error:
        assert "\n" not in str(error)


@st.composite
def _mutation(draw: st.DrawFn, text: str) -> str:
    kind = draw(st.sampled_from(["flip", "delete", "swap", "line"]))
    at = draw(st.integers(0, max(0, len(text) - 1)))
    if kind == "flip":
        return text[:at] + draw(st.characters(max_codepoint=0x2FF)) + text[at + 1 :]
    if kind == "delete":
        return text[:at] + text[at + draw(st.integers(1, 20)) :]
    words = list(WORD.finditer(text))
    if kind == "swap" and words:
        one, other = draw(st.sampled_from(words)), draw(st.sampled_from(words))
        return text[: one.start()] + other[0] + text[one.end() :]
    lines = text.split("\n")
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(lines)))
    return "\n".join(lines)
