"""The compiled network on disk: sparse weights as safetensors, keyed by what they are made from.

A cache file is written whole or not at all, carries a hash of its contents, and is made again
when it is missing, damaged or stale.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from vgpu.circuit.emit import LayerWeights, Matrix, Network
from vgpu.geometry import Geometry
from vgpu.isa import FINGERPRINT
from vgpu.word import layout

SOURCES: Final = ("isa.py", "word.py", "geometry.py", "circuit", "blocks")
SIZES: Final = ("key_heads", "value_heads", "key_width", "value_width", "neurons")
Tensors = dict[str, npt.NDArray[Any]]
_PARTS: Final = ("row", "column", "value")


def cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("vgpu-assistant") / "machine"


def replace_file(path: Path, data: bytes) -> None:
    """A reader sees the whole file or none."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def network_key(geometry: Geometry) -> str:
    """Hash of the geometry and of every source that shapes the weights."""
    digest = hashlib.sha256(repr(geometry).encode())
    root = Path(__file__).parent
    for name in SOURCES:
        path = root / name
        for source in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _digest(tensors: Tensors) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode() + np.ascontiguousarray(tensors[name]).tobytes())
    return digest.hexdigest()


def sizes(network: Network) -> dict[str, Any]:
    """What the layers are made from before their weights are there."""
    layers = [{size: getattr(layer, size) for size in SIZES} for layer in network.layers]
    return {"hidden": network.hidden, "channels": network.channels, "layers": layers}


def machine_settings(network: Network, geometry: Geometry) -> dict[str, Any]:
    """The machine's part of the configuration of a model with it inside (`vgpu.model`)."""
    words = layout(geometry)
    return {
        "machine": sizes(network),
        "word": {name: [words.offsets[name], width] for name, width in words.widths.items()},
        "geometry": asdict(geometry),
        "isa": FINGERPRINT,
    }


def flatten(network: Network) -> tuple[Tensors, dict[str, str]]:
    """All weights as named arrays, and what the file says about them."""
    tensors = {"embed": network.embed}
    shapes = {"head": network.head.shape}
    matrices = {"head": network.head}
    for index, layer in enumerate(network.layers):
        for name, matrix in layer.matrices.items():
            matrices[f"layers.{index}.{name}"] = matrix
            shapes[f"layers.{index}.{name}"] = matrix.shape
    for name, matrix in matrices.items():
        for part in _PARTS:
            tensors[f"{name}.{part}"] = getattr(matrix, part)
    about = {**sizes(network), "shapes": shapes}
    return tensors, {"about": json.dumps(about), "sha256": _digest(tensors)}


def save_network(network: Network, path: Path) -> None:
    """Write atomically: a reader sees the whole file or none. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors, metadata = flatten(network)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    os.close(handle)
    try:
        save_file(tensors, name, metadata)
        os.replace(name, path)
    except SafetensorError as error:  # a full disk, in its words
        raise OSError(f"{path} cannot be written: {error}") from error
    finally:
        Path(name).unlink(missing_ok=True)


def load_network(path: Path) -> Network:
    """Raises ValueError when the file is damaged."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if metadata.get("sha256") != _digest(tensors):
        raise ValueError(f"{path} is damaged: its contents do not match their hash")
    about = json.loads(metadata["about"])

    def matrix(name: str) -> Matrix:
        row, column, value = (tensors[f"{name}.{part}"] for part in _PARTS)
        rows, columns = about["shapes"][name]
        return Matrix((rows, columns), row, column, value)

    layers = []
    for index, sizes in enumerate(about["layers"]):
        prefix = f"layers.{index}."
        names = [name for name in about["shapes"] if name.startswith(prefix)]
        layers.append(
            LayerWeights(**sizes, matrices={n.removeprefix(prefix): matrix(n) for n in names})
        )
    return Network(
        about["hidden"], tensors["embed"], tuple(layers), matrix("head"), about["channels"]
    )
