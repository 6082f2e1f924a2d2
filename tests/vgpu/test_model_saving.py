"""One folder: the host's weights, the machine's as a sparse file, and a hash of each."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM

from tests.vgpu.composite import DTYPES, SMALL, composite, make_host, squares, tokens
from vgpu import Machine
from vgpu.engines.sparse import SparseEngine
from vgpu.model import CompositeEngine, VGPUConfig, VGPUForCausalLM, weights_vgpu
from vgpu.store import load_network

TEXT = tokens("saved and loaded")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "model"
    composite().save_pretrained(folder)
    return folder


@pytest.fixture
def copied(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def test_what_was_saved_is_what_is_loaded(saved: Path, tmp_path: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(saved)
    assert type(model) is VGPUForCausalLM
    ours, theirs = model.state_dict(), composite().state_dict()
    assert ours.keys() == theirs.keys()
    for name, tensor in theirs.items():
        assert torch.equal(ours[name], tensor), name
    # Against the very tensors: elsewhere in memory, BLAS may round the last bit the other way.
    assert torch.equal(model(input_ids=TEXT).logits, model.host(input_ids=TEXT).logits)
    traces = [tmp_path / "before", tmp_path / "after"]
    for each, trace in zip((composite(), model), traces, strict=True):
        run = Machine(CompositeEngine(each)).run(squares(), {}, block=4, trace=trace)
        assert run.outputs == {"out": [14]}
    assert traces[0].read_bytes() == traces[1].read_bytes()
    model.save_pretrained(tmp_path)
    for name in ("model.safetensors", "config.json", "generation_config.json"):
        assert (tmp_path / name).read_bytes() == (saved / name).read_bytes(), name
    one, two = (weights_vgpu.read_sparse(f / weights_vgpu.SPARSE_FILE) for f in (saved, tmp_path))
    assert one[1] == two[1] and weights_vgpu.digest(one[0]) == weights_vgpu.digest(two[0])


def test_the_machine_is_saved_sparse_and_once(saved: Path) -> None:
    """In the format of the machine's own cache, so that the sparse engine runs a model's folder."""
    assert (saved / weights_vgpu.SPARSE_FILE).stat().st_size < 4_000_000
    names = load_file(saved / "model.safetensors").keys()
    assert names and all(name.startswith("host.") for name in names)
    assert "host.lm_head.weight" not in names  # tied to the embedding
    network = load_network(saved / weights_vgpu.SPARSE_FILE)
    run = Machine(SparseEngine(SMALL, network)).run(squares(), {}, block=4)
    assert run.outputs == {"out": [14]}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, "auto"])
def test_loading_as_another_dtype_casts_the_host_alone(saved: Path, dtype: Any) -> None:
    model = AutoModelForCausalLM.from_pretrained(saved, dtype=dtype)
    assert model.dtype == (torch.float32 if dtype == "auto" else dtype)
    for name, tensor in model.machine.state_dict().items():
        assert torch.equal(tensor, composite().machine.state_dict()[name]), name


def test_dense_weights_load_too(tmp_path: Path) -> None:
    host = make_host("llama", DTYPES["bf16"])
    from vgpu.model import compose

    model = compose(host, SMALL)
    model.config.machine_weights = "dense"
    model.save_pretrained(tmp_path, max_shard_size="20MB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    assert not (tmp_path / weights_vgpu.SPARSE_FILE).exists()
    again = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert again.dtype == torch.bfloat16
    for name, tensor in composite().machine.state_dict().items():
        assert torch.equal(again.machine.state_dict()[name], tensor), name


@pytest.mark.parametrize("name", ["model.safetensors", "machine.safetensors", "config.json"])
def test_a_flipped_byte_is_reported_with_the_mend(copied: Path, name: str) -> None:
    data = bytearray((copied / name).read_bytes())
    data[-40] ^= 1
    (copied / name).write_bytes(data)
    with pytest.raises((ValueError, OSError)) as caught:
        VGPUForCausalLM.from_pretrained(copied)
    assert f"{copied / name} is damaged" in str(caught.value)
    assert "assistant build --force" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["model.safetensors", "machine.safetensors"])
def test_a_missing_file_is_reported(copied: Path, name: str) -> None:
    (copied / name).unlink()
    with pytest.raises(ValueError, match=f"{name} is missing"):
        VGPUForCausalLM.from_pretrained(copied)


def test_a_sparse_file_is_hashed_by_itself(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "machine.safetensors"
    data = bytearray((saved / "machine.safetensors").read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        weights_vgpu.read_sparse(path)
    path.write_bytes(data[:1000])
    with pytest.raises(ValueError, match="cannot be read"):
        weights_vgpu.read_sparse(path)


def test_a_save_that_was_cut_off_is_not_loaded(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of hashes goes first and comes back last."""
    real = os.replace

    def full(source: Any, target: Any) -> None:
        if Path(target).name == weights_vgpu.SPARSE_FILE:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(weights_vgpu.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        composite().save_pretrained(copied)
    with pytest.raises(ValueError, match="not complete"):
        VGPUForCausalLM.from_pretrained(copied)
    monkeypatch.undo()
    composite().save_pretrained(copied)
    VGPUForCausalLM.from_pretrained(copied)


def test_a_damaged_list_is_reported(copied: Path) -> None:
    (copied / weights_vgpu.MANIFEST).write_text("[")
    with pytest.raises(ValueError, match=r"vgpu_files\.json is damaged"):
        VGPUForCausalLM.from_pretrained(copied)


def test_the_configuration_holds_host_machine_and_instruction_set(saved: Path) -> None:
    config = AutoConfig.from_pretrained(saved)
    assert isinstance(config, VGPUConfig)
    assert config.host_config.model_type == "llama"
    assert config.vocab_size == config.host_config.vocab_size
    assert config.get_text_config() is config.host_config
    assert config.geometry["lanes"] == SMALL.lanes and config.machine["hidden"] == SMALL.hidden
    assert config.word_bits == len(composite().machine.embed)
    assert json.loads((saved / "config.json").read_text())["isa"] == config.isa != ""
    assert VGPUConfig().to_dict()["host_config"] is None
    with pytest.raises(ValueError, match="sparse or dense"):
        VGPUConfig(machine_weights="half")


def test_loading_info_is_passed_on(saved: Path) -> None:
    model, info = VGPUForCausalLM.from_pretrained(saved, output_loading_info=True)
    assert isinstance(model, VGPUForCausalLM)
    assert not info["missing_keys"] and not info["unexpected_keys"]
