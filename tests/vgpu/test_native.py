"""The sparse engine's native code: compiled once, checked when read; what goes wrong is told."""

from __future__ import annotations

import importlib.util
import subprocess

import pytest

from vgpu.engines.native import compiler
from vgpu.errors import InputError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(compiler, "cache_folder", lambda: tmp_path / "machine")
    return tmp_path / "machine"


@pytest.fixture
def fake(monkeypatch):
    """Counts compilations."""
    made = []

    def compile_all(options=()):
        made.append(options)
        return {lanes: b"code for %d" % lanes for lanes in compiler.WIDTHS}

    monkeypatch.setattr(compiler, "compile_all", compile_all)
    return made


def test_it_is_compiled_once(folder, fake):
    assert [compiler.machine_code(lanes) for lanes in (1, 32, 1)] == [
        b"code for 1", b"code for 32", b"code for 1"
    ]  # fmt: skip
    assert len(fake) == 1
    assert not [path for path in folder.iterdir() if path.suffix == ".part"]


def test_a_damaged_object_is_made_again(folder, fake):
    compiler.machine_code(1)
    path = compiler.object_path(1)
    for damage in (path.read_bytes()[:-1] + b"?", path.read_bytes()[:10], b""):
        path.write_bytes(damage)
        assert compiler.machine_code(1) == b"code for 1"
        assert path.read_bytes().endswith(b"code for 1")
    assert len(fake) == 4


def test_a_cache_that_cannot_be_written_costs_time_only(folder, fake):
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file where the folder should be")
    assert compiler.machine_code(8) == compiler.machine_code(8) == b"code for 8"
    assert len(fake) == 2


def test_options_have_objects_of_their_own(folder, fake):
    compiler.machine_code(1)
    compiler.machine_code(1, ("-DCOUNT_TICKS",))
    assert fake == [(), ("-DCOUNT_TICKS",)]
    assert compiler.object_path(1) != compiler.object_path(1, ("-DCOUNT_TICKS",))


def test_without_a_compiler_the_mend_is_told(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="pip install ziglang"):
        compiler.compile_all()


def test_what_the_compiler_says_is_told(monkeypatch):
    def broken(*_):
        return subprocess.Popen(
            ["sh", "-c", "echo passes.c:1: broken >&2; exit 1"], stderr=subprocess.PIPE, text=True
        )

    monkeypatch.setattr(compiler, "_compiling", broken)
    with pytest.raises(InputError, match=r"passes\.c:1: broken"):
        compiler.compile_all()
