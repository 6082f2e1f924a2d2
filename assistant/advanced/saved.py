"""Kernels that a person kept by name: NAME.cu in the data folder, called by their names later.

A file is what a host writes: the task, the header line, the kernel. `assistant run NAME` and a
message that calls the kernel run it; nothing is written anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant import config
from assistant.advanced import extent as extents
from assistant.advanced import signature as signatures
from assistant.advanced.answer import AdvancedAnswer
from assistant.advanced.extent import Extent
from assistant.advanced.library import header
from assistant.advanced.signature import Signature
from assistant.advanced.write import HEADER
from vgpu.errors import InputError

_NAME = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)
_TASK = "// Task: "
# A name that no sentence has in it by chance.
_OWN_WORD = re.compile(r"\w*[_\d]\w*|\w+[A-Z]\w*")
_RUN = r"\b(?:[Rr]un|[Cc]all|[Uu]se|[Aa]pply|[Kk]ernel)\s+"
_ON = r"\s*[(\[]|\s+(?:of|on|over|with|to|for)\b"


@dataclass(frozen=True)
class Saved:
    """A kernel in the data folder. `task` is what it was written for."""

    name: str
    task: str
    source: str
    signature: Signature
    extent: Extent
    order_free: bool


def folder() -> Path:
    return config.data_dir() / "kernels"


def check_name(name: str) -> None:
    """Raises InputError when a kernel cannot be kept under this name."""
    import codegen

    if not _NAME.fullmatch(name):
        raise InputError(f'"{name}": expected a name of letters, digits and "_"')
    if name in codegen.catalog():
        raise InputError(f'"{name}" is a prebuilt kernel: give another name')
    if (folder() / f"{name}.cu").exists():
        raise InputError(f'"{name}": there is one already: {folder() / f"{name}.cu"}')


def save(name: str, answer: AdvancedAnswer) -> Path:
    """Keeps the program of an answer that gave a figure. Raises InputError."""
    return save_record(name, answer.record())


def save_record(name: str, record: Mapping[str, Any]) -> Path:
    """Keeps the program that the record of an answer rests on. Raises InputError."""
    check_name(name)
    if record.get("verdict") == "run":  # a person has changed it: it is theirs to judge
        task = record.get("task") or {}
        said, gives = str(task.get("said", "")), str(task.get("gives", "out[0]"))
        return _keep(name, said, str(record.get("source") or ""), gives, False)
    number = record.get("chosen")
    chosen = next((a for a in record.get("attempts") or () if a.get("number") == number), None)
    if chosen is None or not record.get("figures"):
        raise InputError(f'"{name}": no program passed its checks, so none is kept')
    try:
        said, gives = str(record["task"]["said"]), str(chosen["gives"])
        free, source = bool(chosen["order_free"]), str(chosen["cuda"])
    except (KeyError, TypeError):
        raise InputError(f'"{name}": the answer does not hold its kernel: ask again') from None
    return _keep(name, said, source, gives, free)


def _keep(name: str, said: str, source: str, gives: str, order_free: bool) -> Path:
    import codegen

    signature = signatures.head_of(source)
    if signature is None:
        raise InputError(f'"{name}": expected a kernel with an array {signatures.OUT}')
    renamed = re.sub(rf"\b{signature.name}\b(?=\s*\()", name, source, count=1)
    extent = extents.parse(gives, [p.name for p in signature.scalars])
    try:
        codegen.compile_source(renamed, name, f"{name}.cu")
    except codegen.CompileError:
        raise InputError(f'"{name}": no kernel can have this name: give another') from None
    path = folder() / f"{name}.cu"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{_TASK}{said}\n{header(extent, order_free)}\n{renamed}", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def load(name: str) -> Saved:
    """Raises InputError when there is none, or the file is no longer what was kept."""
    path = folder() / f"{name}.cu"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    first, _, rest = text.partition("\n")
    head = HEADER.match(rest)
    if not first.startswith(_TASK) or head is None:
        raise InputError(f'{path}:1: expected "{_TASK}…" and then "// gives …; order …"')
    source = rest[head.end() :]
    signature = signatures.head_of(source)
    if signature is None:
        raise InputError(f"{path}:3: expected a kernel")
    extent = extents.parse(head["extent"], [p.name for p in signature.scalars])
    return Saved(
        name, first.removeprefix(_TASK), source, signature, extent, head["order"] == "free"
    )


def names() -> list[str]:
    return sorted(path.stem for path in folder().glob("*.cu"))


def named_in(question: str) -> Saved | None:
    """The kept kernel that a message calls; the one with the longest name, where it is several.

    A name that is no ordinary word (`above_20`, `myKernel`) calls its kernel wherever it stands.
    Any other has to stand as a call: after "run", "call", "use", "apply" or "kernel", before a
    bracket, "of", "on", "over", "with", "to" or "for", or at the beginning before a number.
    """
    found = [name for name in names() if _called(name, question)]
    return load(max(found, key=len)) if found else None


def _called(name: str, question: str) -> bool:
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    if _OWN_WORD.fullmatch(name):
        return re.search(word, question) is not None
    call = rf"{_RUN}{word}|{word}(?:{_ON})|\A\s*{word}:?\s+[-−]?\d"
    return re.search(call, question) is not None


def located(path: Path) -> Path:
    """`path`, or the kept kernel of that name when there is no such file."""
    if path.suffix or path.exists() or path.name != str(path):
        return path
    kept = folder() / f"{path.name}.cu"
    return kept if kept.exists() else path
