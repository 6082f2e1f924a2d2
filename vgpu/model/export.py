"""A dense checkpoint that transformers loads without this package.

The folder holds the weights, the modelling code (the very files of this folder), the tokenizer
and a program to run: `run_program.py` feeds `program.json` to the model.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vgpu.errors import InputError
from vgpu.launch import TYPES, Dim, Value
from vgpu.model.engine import CompositeEngine
from vgpu.model.weights_vgpu import MANIFEST, write_manifest
from vgpu.program import Program
from vgpu.runtime import Machine
from vgpu.word import Bits

CODE: Final = ("configuration_vgpu.py", "modeling_vgpu.py", "machine_vgpu.py", "cache_vgpu.py",
               "weights_vgpu.py")  # fmt: skip
EXAMPLE: Final = "run_program.py"
AUTO_MAP: Final = {
    "AutoConfig": "configuration_vgpu.VGPUConfig",
    "AutoModelForCausalLM": "modeling_vgpu.VGPUForCausalLM",
}


@dataclass(frozen=True)
class Example:
    """A launch of one block, and how to say it: "dot([1, 2, 3], [4, 5, 6])"."""

    call: str
    program: Program
    inputs: Mapping[str, Value]
    outputs: Mapping[str, int | tuple[str, int]]
    block: Dim = 1


@dataclass
class _Recorder:
    """Notes the words that a run feeds to an engine."""

    engine: CompositeEngine
    load: list[str] = field(default_factory=list)
    lanes: list[str] = field(default_factory=list)
    reads: list[list[str]] = field(default_factory=list)
    name: str = "composite"

    def __post_init__(self) -> None:
        self.geometry = self.engine.geometry

    def reset(self) -> None:
        self.engine.reset()

    def step(self, words: Bits) -> Bits:
        layout = self.engine.layout
        kinds = {name for name in ("exec", "read") if layout.field(words, name).any()}
        if "read" in kinds:
            self.reads.append(layout.to_hex(words))
        elif "exec" not in kinds:
            self.load += layout.to_hex(words)
        elif not self.lanes:
            self.lanes = layout.to_hex(words)
        return self.engine.step(words)


def prompt(model: Any, example: Example) -> dict[str, Any]:
    """The words that `run_program.py` feeds, as hexadecimal: "load" in one chunk, then "lanes"
    until all have exited, then "read" for each output. Taken from a run on the model itself."""
    recorder = _Recorder(CompositeEngine(model))
    run = Machine(recorder).run(
        example.program, example.inputs, example.outputs, block=example.block
    )
    if len(recorder.reads) != len(run.outputs):
        raise InputError(f"{example.call}: too many results for an example")
    reads = {}
    for (name, values), words in zip(run.outputs.items(), recorder.reads, strict=True):
        size, signed = TYPES[run.types[name]]
        reads[name] = {
            "size": size, "signed": signed, "bytes": size * len(values), "words": words
        }  # fmt: skip
    return {
        "call": example.call, "load": recorder.load, "lanes": recorder.lanes, "read": reads
    }  # fmt: skip


def export(model: Any, folder: Path, tokenizer: Any = None, example: Example | None = None) -> None:
    """Writes the folder whole or not at all. An earlier export in its place is replaced; raises
    InputError when something else is there."""
    taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    if taken and not (folder / MANIFEST).is_file():
        raise InputError(f"{folder} is there and is not an export: give a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        _write(model, draft, tokenizer, example)
        draft.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write(model: Any, draft: Path, tokenizer: Any, example: Example | None) -> None:
    with _exported(model.config):
        model.save_pretrained(draft)
    if tokenizer is not None:
        tokenizer.save_pretrained(draft)
    here = Path(__file__).parent
    for name in CODE:
        shutil.copyfile(here / name, draft / name)
    if example is not None:
        shutil.copyfile(here / EXAMPLE, draft / EXAMPLE)
        text = json.dumps(prompt(model, example), indent=1) + "\n"
        (draft / "program.json").write_text(text, encoding="utf-8")
    files = (path for path in draft.rglob("*") if path.is_file() and path.name != MANIFEST)
    write_manifest(draft, [str(path.relative_to(draft)) for path in files])


@contextmanager
def _exported(config: Any) -> Iterator[None]:
    """The configuration as an export has it: dense weights, and where the code is."""
    before = config.machine_weights
    config.machine_weights, config.auto_map = "dense", AUTO_MAP
    try:
        yield
    finally:
        config.machine_weights = before
        del config.auto_map
