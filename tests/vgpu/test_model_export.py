"""An export runs where this package cannot be imported: torch and transformers alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.vgpu.composite import SMALL, composite, make_host, squares, tokens
from vgpu import Machine
from vgpu.errors import InputError
from vgpu.model import CompositeEngine, export
from vgpu.model.export import CODE, Example

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "model.md"]

# Runs a script with every package of this repository hidden.
ALONE = """
import runpy, sys
HIDDEN = {"vgpu", "codegen", "assistant", "evals", "prompts", "numba", "llvmlite"}
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hide())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
assert not HIDDEN & set(sys.modules)
"""
LOGITS = """
import sys, torch
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], trust_remote_code=True)
ids = torch.tensor([[int(n) for n in sys.argv[3].split(",")]])
found = {"logits": model(input_ids=ids).logits, "class": type(model).__module__}
given, cache, found["words"] = torch.load(sys.argv[4]), model.new_cache(), []
for words in given:
    found["words"].append(model(words=words, cache=cache).words)
torch.save(found, sys.argv[2])
"""


def alone(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"HF_HOME": str(cache), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-I", "-c", ALONE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def shown(document: Path) -> str:
    """The block of Python in a document that runs an export."""
    text = document.read_text(encoding="utf-8")
    blocks = [part.partition("```")[0] for part in text.split("```python\n")[1:]]
    (found,) = [block for block in blocks if "program.json" in block]
    return found


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports") / "model"
    export(composite(), folder, None, Example("squares()", squares(), {}, {}, 4))
    return folder


def test_what_the_readme_shows_runs_without_this_package(exported: Path, tmp_path: Path) -> None:
    script = exported / "from_the_readme.py"
    script.write_text(shown(DOCUMENTS[0]), encoding="utf-8")
    try:
        done = alone(tmp_path, str(script))
    finally:
        script.unlink()
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[0] == "out = [14]"
    assert "of 4 lanes" in done.stdout


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_documents_show_the_example_of_the_export(exported: Path, document: Path) -> None:
    example = (exported / "run_program.py").read_text()
    assert shown(document) == example
    assert len([line for line in example.splitlines() if line]) <= 30 and "vgpu" not in example


class Fed(CompositeEngine):
    """Notes the words of every pass, those that went in and those that came out."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.passes: list[tuple[torch.Tensor, torch.Tensor]] = []

    def step(self, words: Any) -> Any:
        came = super().step(words)
        self.passes.append((torch.from_numpy(words)[None], torch.from_numpy(came)[None]))
        return came


def test_its_logits_are_the_hosts_and_its_words_the_machines(
    exported: Path, tmp_path: Path
) -> None:
    engine = Fed(composite())
    Machine(engine).run(squares(), {}, block=4)
    given = tmp_path / "words.pt"
    torch.save([words for words, _ in engine.passes if words.shape[1]], given)
    script, result, ids = tmp_path / "logits.py", tmp_path / "logits.pt", tokens("exported")
    script.write_text(LOGITS)
    listed = ",".join(map(str, ids[0].tolist()))
    done = alone(tmp_path, str(script), str(exported), str(result), listed, str(given))
    assert done.returncode == 0, done.stderr[-2000:]
    came = torch.load(result)
    assert came["class"].startswith("transformers_modules.")
    assert torch.equal(came["logits"], make_host("llama")(input_ids=ids).logits)
    want = [words for _, words in engine.passes if words.shape[1]]
    assert len(want) > 10
    for ours, theirs in zip(came["words"], want, strict=True):
        assert torch.equal(ours.bool(), theirs.bool())


def test_a_damaged_export_is_not_loaded(exported: Path, tmp_path: Path) -> None:
    weights = exported / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(-9, os.SEEK_END)
        byte = file.read(1)[0]
        file.seek(-9, os.SEEK_END)
        file.write(bytes([byte ^ 1]))
    try:
        done = alone(tmp_path, str(exported / "run_program.py"))
    finally:
        with weights.open("r+b") as file:
            file.seek(-9, os.SEEK_END)
            file.write(bytes([byte]))
    assert done.returncode != 0
    assert "model.safetensors is damaged" in done.stderr


def test_the_code_is_this_packages_own(exported: Path) -> None:
    here = Path(export.__code__.co_filename).parent
    for name in CODE:
        assert (exported / name).read_bytes() == (here / name).read_bytes(), name
        assert "from vgpu" not in (exported / name).read_text()
    assert not hasattr(composite().config, "auto_map")
    assert composite().config.machine_weights == "sparse"


def test_an_export_replaces_an_export_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(InputError, match="give a new folder"):
        export(composite(), tmp_path)
    with pytest.raises(InputError, match="give a new folder"):
        export(composite(), tmp_path / "mine.txt")
    folder = tmp_path / "new"
    for _ in range(2):
        export(composite(), folder)
    assert not (folder / "program.json").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.txt", "new"]
    assert json.loads((folder / "config.json").read_text())["geometry"]["lanes"] == SMALL.lanes
