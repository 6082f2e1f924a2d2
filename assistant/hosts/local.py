"""A host in a folder of this computer: linked where large, copied where small."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from assistant.hosts import checkpoint
from assistant.hosts.failures import Unavailable

_SMALL = 64 << 20


def from_folder(source: Path, draft: Path, label: str) -> str:
    """Fills `draft` from `source`. Returns the line that says where the host is from."""
    if not (source / "config.json").is_file():
        raise Unavailable(f"{source} has no config.json")
    checkpoint.check_architecture(source / "config.json", label)
    files = checkpoint.weight_files(source)
    for file in files:
        for _ in checkpoint.tensors(file):
            pass
    checkpoint.check_tokenizer(str(source), (path.name for path in source.iterdir()))
    gather(source, draft, (path.name for path in source.iterdir()))
    for file in files:
        link(file, draft / file.name)
    return f"folder {source}"


def gather(source: Path, draft: Path, names: Iterable[str]) -> None:
    """Copies what is small: settings and tokenizer, and the index cut down to text."""
    names = list(names)
    for name in checkpoint.metadata_names(names):
        link(source / name, draft / name)
    if checkpoint.INDEX in names:
        write_index(source / checkpoint.INDEX, draft)


def write_index(source: Path, draft: Path) -> None:
    index = checkpoint.text_index(checkpoint.read_json(source), source)
    (draft / checkpoint.INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")


def link(source: Path, target: Path) -> None:
    """A link to a large file (a copy where links are not to be had), a copy of a small one."""
    if source.stat().st_size > _SMALL:
        try:
            target.symlink_to(source.resolve())
            return
        except OSError:
            pass
    shutil.copyfile(source, target)
    os.utime(target)
