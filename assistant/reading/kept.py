"""A read-out (and its adapter) on disk: one safetensors file, hash-checked when it is loaded."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from assistant.reading.adapter import Adapter
from assistant.reading.calibration import Calibration
from assistant.reading.reader import Reader, Sizes

FORMAT = "vgpu-readout-1"


class Damaged(Exception):
    """The file is not what was written."""


@dataclass(frozen=True)
class Fit:
    """A read-out, its adapter if it has one, and how it did on what it was not shown. It reads
    `layers` of the host, or those that the host is set to."""

    reader: Reader
    adapter: Adapter | None
    calibration: Calibration
    report: dict[str, Any]
    layers: tuple[int, ...] = ()


def save(path: Path, fit: Fit, key: str) -> None:
    """Writes it at once or not at all. `key` names what it was fitted on."""
    from safetensors.torch import save_file

    reader, adapter = fit.reader, fit.adapter
    tensors = {f"reader.{name}": t for name, t in reader.state_dict().items()}
    about: dict[str, Any] = {"sizes": asdict(reader.sizes), "vocabulary": reader.vocabulary}
    if adapter is not None:
        tensors |= {f"adapter.{name}": t for name, t in adapter.state_dict().items()}
        about["adapter"] = [adapter.first, adapter.last, adapter.rank]
    tensors = {name: t.detach().half().contiguous() for name, t in tensors.items()}
    about |= {
        "format": FORMAT, "key": key, "calibration": asdict(fit.calibration),
        "report": fit.report, "layers": fit.layers,
    }  # fmt: skip
    about["sha256"] = _sha256(about, tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    os.close(handle)
    try:
        save_file(tensors, draft, {"about": json.dumps(about)})
        os.replace(draft, path)
    finally:
        Path(draft).unlink(missing_ok=True)


def about(path: Path) -> dict[str, Any] | None:
    """What a file says of itself, or None when there is none. Raises Damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            said = json.loads(file.metadata()["about"])
    except FileNotFoundError:
        return None
    except (OSError, SafetensorError, KeyError, TypeError, ValueError):
        raise Damaged from None
    return dict(said) if said.get("format") == FORMAT else None


def load(path: Path, layers: nn.ModuleList) -> Fit:
    """Raises Damaged. `layers` are those of the host that the file is for."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    said = about(path)
    if said is None:
        raise Damaged
    try:
        tensors = load_file(path)
        if _sha256({k: v for k, v in said.items() if k != "sha256"}, tensors) != said["sha256"]:
            raise Damaged
        reader = Reader(Sizes(**said["sizes"]), said["vocabulary"])
        reader.load_state_dict(_part(tensors, "reader."))
        adapter = None
        if "adapter" in said:
            adapter = Adapter(layers, *said["adapter"])
            adapter.load_state_dict(_part(tensors, "adapter."))
            adapter.to(next(layers.parameters()).dtype).requires_grad_(False)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RuntimeError):
        raise Damaged from None
    reader.eval().requires_grad_(False)
    return Fit(
        reader,
        adapter,
        Calibration(**said["calibration"]),
        said["report"],
        tuple(said.get("layers", ())),
    )


def _part(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {n.removeprefix(prefix): t.float() for n, t in tensors.items() if n.startswith(prefix)}


def _sha256(about: dict[str, Any], tensors: dict[str, torch.Tensor]) -> str:
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()
