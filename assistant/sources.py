"""A program from a file: CUDA C, PTX, or a program that was compiled before."""

from __future__ import annotations

from pathlib import Path

from vgpu.errors import InputError
from vgpu.program import Program

KINDS = (".cu", ".ptx", ".vgpu")


def existing(path: Path) -> Path:
    """`path` if it is a readable file of a known kind. Raises `InputError`."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder, expected a file {', '.join(KINDS)}")
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if path.suffix not in KINDS:
        raise InputError(f"{path}: expected a file {', '.join(KINDS)}")
    return path


def text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not a text file (UTF-8)") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def program(path: Path, kernel: str | None = None) -> Program:
    """The program of `kernel`, or of the only kernel in the file."""
    existing(path)
    if path.suffix == ".vgpu":
        return _stored(path, kernel)
    import codegen

    if path.suffix == ".ptx":
        return codegen.ptx_to_program(text(path), kernel, name=str(path))
    text(path)
    return codegen.compile_file(path, kernel=kernel)


def _stored(path: Path, kernel: str | None) -> Program:
    try:
        stored = Program.from_json(text(path))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if kernel not in (None, stored.kernel):
        raise InputError(f'{path}: holds the kernel "{stored.kernel}", not "{kernel}"')
    return stored
