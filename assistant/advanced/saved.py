"""Kernels that a person kept by name: NAME.cu in the data folder, called by their names later.

A file is what a host writes: the task, the header line, the kernel. `assistant run NAME` and a
message of advanced mode that names the kernel run it; nothing is written anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from assistant.advanced import extent as extents
from assistant.advanced import signature as signatures
from assistant.advanced.answer import AdvancedAnswer
from assistant.advanced.extent import Extent
from assistant.advanced.library import header
from assistant.advanced.signature import Signature
from assistant.advanced.task import Task, checked_inputs, read_task
from assistant.advanced.write import HEADER
from assistant.config import data_dir
from vgpu.errors import InputError

_NAME = re.compile(r"[A-Za-z_]\w{0,63}")
_TASK = "// Task: "


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
    return data_dir() / "kernels"


def check_name(name: str) -> None:
    """Raises InputError when a kernel cannot be kept under this name."""
    if not _NAME.fullmatch(name):
        raise InputError(f'--save {name}: expected a name of letters, digits and "_"')
    if (folder() / f"{name}.cu").exists():
        raise InputError(f"--save {name}: there is one already: {folder() / f'{name}.cu'}")


def save(name: str, answer: AdvancedAnswer) -> Path:
    """Keeps the program of an answer that gave a figure. Raises InputError."""
    check_name(name)
    if not answer.ok or answer.chosen is None:
        raise InputError(f"--save {name}: no program passed its checks, so none is kept")
    old = answer.task.signature.name
    source = re.sub(rf"\b{old}\b(?=\s*\()", name, answer.cuda, count=1)
    draft = answer.chosen.draft
    path = folder() / f"{name}.cu"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"{_TASK}{answer.task.said}\n{header(draft.extent, draft.order_free)}\n{source}"
        path.write_text(text, encoding="utf-8")
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
    """The kernel whose name is a word of the message; the longest, where several are."""
    words = set(re.findall(r"\w+", question))
    found = [name for name in names() if name in words]
    return load(max(found, key=len)) if found else None


def task_of(saved: Saved, question: str) -> Task:
    """The kernel's task on the data of a message. Raises InputError when they do not fit."""
    asked = read_task(re.sub(rf"\b{saved.name}\b", "it", question))
    if asked.signature.shape != saved.signature.shape:
        raise InputError(
            f"{saved.name} takes {', '.join(p.name for p in saved.signature.parameters[:-1])}; "
            f"the message gives {asked.data}"
        )
    values = dict(
        zip((p.name for p in saved.signature.parameters), asked.inputs.values(), strict=False)
    )
    inputs = checked_inputs(saved.signature, values)
    return Task(question, asked.said, saved.signature, inputs, saved.extent)


def located(path: Path) -> Path:
    """`path`, or the kept kernel of that name when there is no such file."""
    if path.suffix or path.exists() or path.name != str(path):
        return path
    kept = folder() / f"{path.name}.cu"
    return kept if kept.exists() else path
