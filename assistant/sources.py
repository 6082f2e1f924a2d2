"""A program from a file: CUDA C, PTX, or a program that was compiled before."""

from __future__ import annotations

from pathlib import Path

from assistant.console import note
from vgpu.errors import InputError
from vgpu.program import Program

KINDS = (".cu", ".ptx", ".vgpu")


def existing(path: Path) -> Path:
    """`path` if there is something of a known kind. Raises `InputError`."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder, expected a file {', '.join(KINDS)}")
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if path.suffix not in KINDS:
        raise InputError(f"{path}: expected a file {', '.join(KINDS)}")
    return path


def keep(option: str, target: Path, source: Path) -> None:
    """Raises `InputError` when writing `target` would destroy the source."""
    if target.exists() and target.samefile(source):
        raise InputError(f"{option} {target}: this is the file that is read; give another name")


def text(path: Path) -> str:
    """The text of a file that may be anything. Raises `InputError` in one line."""
    from codegen.reading import read_text

    return read_text(path)


def program(
    path: Path, kernel: str | None = None, via: str | None = None, clang: str | None = None
) -> Program:
    """The program of `kernel`, or of the only kernel in the file. `via` and `clang`: see
    `codegen.compile_file`."""
    existing(path)
    if path.suffix == ".vgpu":
        return _stored(path, kernel)
    import codegen

    if path.suffix == ".ptx":
        return codegen.ptx_to_program(text(path), kernel, name=str(path))
    source = text(path)
    compiled = codegen.compile_source(source, kernel, str(path), via=via, clang=clang)
    note_host_part(source)
    return compiled


def ptx(
    path: Path, kernel: str | None = None, via: str | None = None, clang: str | None = None
) -> str:
    """The PTX of a .cu or .ptx file."""
    if path.suffix == ".ptx":
        return text(path).rstrip()
    if path.suffix != ".cu":
        raise InputError(f"{path}: a compiled program holds no PTX, expected a .cu or .ptx file")
    import codegen

    text(path)
    return codegen.cuda_to_ptx(path, kernel, via=via, clang=clang).rstrip()


def note_host_part(source: str) -> None:
    """Says which functions of a .cu file are not run."""
    from codegen.front import host_functions

    names = list(dict.fromkeys(host_functions(source)))
    if names:
        listed = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        note(f"note: only the kernel is run; the host part ({listed}) is ignored")


def _stored(path: Path, kernel: str | None) -> Program:
    try:
        stored = Program.from_json(text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None
    if kernel not in (None, stored.kernel):
        raise InputError(f'{path}: holds the kernel "{stored.kernel}", not "{kernel}"')
    return stored
