"""Weights on disk: the machine's as sparse matrices, and a hash of every file of a checkpoint.

This file travels with exported checkpoints: it imports numpy and safetensors only. The format of
the sparse file is that of `vgpu.store`, which reads it too.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

SPARSE_FILE: Final = "machine.safetensors"
MANIFEST: Final = "vgpu_files.json"
MEND: Final = "get the folder again (`assistant build --force`, or export or download it anew)"
Tensors = dict[str, npt.NDArray[Any]]


def digest(tensors: Tensors) -> str:
    """SHA-256 over names and contents, in the order of the names."""
    total = hashlib.sha256()
    for name in sorted(tensors):
        total.update(name.encode() + np.ascontiguousarray(tensors[name]).tobytes())
    return total.hexdigest()


def write_sparse(tensors: Tensors, about: dict[str, Any], path: Path) -> None:
    """`tensors`: "embed", and "row", "column", "value" of every matrix; `about`: the sizes."""
    draft = path.with_suffix(".part")
    save_file(tensors, draft, {"about": json.dumps(about), "sha256": digest(tensors)})
    os.replace(draft, path)


def read_sparse(path: Path) -> tuple[Tensors, dict[str, Any]]:
    """Raises ValueError when the file is missing or damaged."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} cannot be read ({error}): {MEND}") from error
    if metadata.get("sha256") != digest(tensors):
        raise ValueError(f"{path} is damaged (its contents do not match their hash): {MEND}")
    return tensors, json.loads(metadata["about"])


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, names: Iterable[str]) -> None:
    """The hashes of these files, written last: a folder without them is not complete."""
    files = {name: sha256(folder / name) for name in sorted(names)}
    draft = folder / f"{MANIFEST}.part"
    draft.write_text(json.dumps({"sha256": files}, indent=1) + "\n", encoding="utf-8")
    os.replace(draft, folder / MANIFEST)


def check_manifest(folder: Path) -> None:
    """Raises ValueError, with the mend, when a file is missing or differs from what was saved."""
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["sha256"]
    except FileNotFoundError:
        raise ValueError(f"{folder} is not complete ({MANIFEST} is missing): {MEND}") from None
    except (ValueError, KeyError, TypeError, OSError):
        raise ValueError(f"{folder / MANIFEST} is damaged: {MEND}") from None
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            raise ValueError(f"{path} is missing: {MEND}")
        if sha256(path) != expected:
            raise ValueError(f"{path} is damaged (wrong SHA-256): {MEND}")
