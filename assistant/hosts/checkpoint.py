"""What a checkpoint holds, read from its small files: nothing here imports PyTorch.

Only the text part of a multimodal checkpoint is wanted: the tensors of its vision and audio parts
and of multi-token prediction (`mtp.*`) are neither fetched, where they have files of their own, nor
counted, nor loaded.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.hosts.store import HOST_SETTINGS
from vgpu.errors import RunError

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"
_METADATA = frozenset(
    "config.json generation_config.json tokenizer.json tokenizer_config.json tokenizer.model "
    "special_tokens_map.json added_tokens.json vocab.json vocab.txt merges.txt chat_template.jinja "
    "chat_template.json".split()
)
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")
_NOT_TEXT = re.compile(
    r"mtp\.|(model\.)?(visual|vision_tower|vision_model|vision_embed\w*|multi_modal_projector|"
    r"audio_tower|embed_vision|embed_audio)\."
)
_HEADER_LIMIT = 100 << 20


def metadata_names(names: Iterable[str]) -> list[str]:
    """Those of a repository's files that a host needs besides its weights."""
    return sorted(name for name in names if name in _METADATA)


def is_text(tensor: str) -> bool:
    return not _NOT_TEXT.match(tensor)


def text_index(index: Mapping[str, Any], where: object) -> dict[str, Any]:
    """The index of shards without the tensors, and so without the files, that are not text."""
    weights = index.get("weight_map")
    if not isinstance(weights, dict) or not all(map(_plain, weights.values())):
        raise RunError(f"{where}: not an index of safetensors files")
    kept = {tensor: file for tensor, file in weights.items() if is_text(tensor)}
    return {"metadata": index.get("metadata", {}), "weight_map": kept}


def _plain(file: Any) -> bool:
    """A file name of the folder itself: an index must not reach outside it."""
    return isinstance(file, str) and "/" not in file and "\\" not in file and file[:1] != "."


def shards(index: Mapping[str, Any]) -> list[str]:
    return sorted(set(index["weight_map"].values()))


def without_safetensors(place: str, names: Iterable[str]) -> RunError:
    others = sorted(
        n for n in names if n.endswith((".bin", ".pt", ".pth", ".gguf", ".safetensors"))
    )
    has = f"it has {', '.join(others[:3])}" if others else "it has no weights at all"
    return RunError(
        f"{place} has no {SINGLE} ({has}): choose a repository or folder with safetensors weights"
    )


def check_tokenizer(place: str, names: Iterable[str]) -> None:
    """Raises `RunError` without one: transformers would make an empty one up."""
    if not set(names) & set(_TOKENIZERS):
        raise RunError(
            f"{place} has no tokenizer (none of {', '.join(_TOKENIZERS)}): choose a repository or "
            "folder that has one, such as the model's original"
        )


def read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    if not isinstance(content, dict):
        raise RunError(f"{path}: not a JSON object")
    return content


def settings_file(root: Path) -> Path:
    """The host's own settings: config.json, unless that describes host and machine together."""
    own = root / HOST_SETTINGS
    return own if own.is_file() else root / "config.json"


def text_config(root: Path) -> dict[str, Any]:
    """The host's settings, or the part of them that describes the language model."""
    config = read_json(settings_file(root))
    inner = config.get("text_config")
    return inner if isinstance(inner, dict) else config


def check_architecture(config_file: Path, label: str) -> None:
    """Raises `RunError` unless transformers knows the architecture as a language model."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    kind = read_json(config_file).get("model_type")
    if kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return
    if kind in CONFIG_MAPPING_NAMES:
        raise RunError(f'host {label}: "{kind}" is not a language model that writes text')
    raise RunError(
        f'host {label}: unknown architecture "{kind}" (transformers {transformers.__version__}): '
        "`pip install -U transformers` if it is new, or choose another host"
    )


def weight_files(root: Path) -> list[Path]:
    """The safetensors files of a folder, whole or sharded. Raises `RunError` when it has none."""
    if (root / INDEX).is_file():
        return [root / file for file in shards(text_index(read_json(root / INDEX), root / INDEX))]
    if (root / SINGLE).is_file():
        return [root / SINGLE]
    raise without_safetensors(str(root), (path.name for path in root.iterdir()))


def tensors(file: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes, from the header of a safetensors file. Raises `RunError` on any other."""
    try:
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            if length > _HEADER_LIMIT:
                raise ValueError("its header is too long")
            header = json.loads(opened.read(length))
        data = max((entry["data_offsets"][1] for name, entry in _entries(header)), default=0)
        if file.stat().st_size != 8 + length + data:
            raise ValueError("its size is not what its header says")
        for name, entry in _entries(header):
            yield name, tuple(entry["shape"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"{file}: not a whole safetensors file: {error}") from None


def _entries(header: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, entry) for name, entry in header.items() if name != "__metadata__"]


def text_parameters(root: Path) -> int:
    """How many numbers the text part of the checkpoint in `root` holds."""
    return sum(
        math.prod(shape)
        for file in weight_files(root)
        for name, shape in tensors(file)
        if is_text(name)
    )
