"""Whether a model can be a host is found once, at the build, and kept with its files."""

import json

import pytest
import torch

from assistant import config
from assistant.cli import main
from assistant.hosts import fetch, host_of, join, loader, store
from assistant.hosts.stand_in import write_checkpoint, write_tokenizer
from vgpu.errors import RunError


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    write_checkpoint(folder)
    return folder


@pytest.fixture(scope="module")
def unsuited(tmp_path_factory):
    """A decoder that reads its tokens again in every layer."""
    from transformers import AutoModelForCausalLM, Gemma3nTextConfig

    folder = tmp_path_factory.mktemp("unsuited")
    settings = Gemma3nTextConfig(
        vocab_size=320, hidden_size=32, intermediate_size=64, num_attention_heads=4,
        num_key_value_heads=2, num_hidden_layers=2, head_dim=16, hidden_size_per_layer_input=8,
        laurel_rank=4, vocab_size_per_layer_input=320, num_kv_shared_layers=0,
        activation_sparsity_pattern=[0.0, 0.0],
        layer_types=["sliding_attention", "full_attention"],
    )  # fmt: skip
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(settings)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    write_tokenizer(folder)
    return folder


@pytest.fixture
def no_router(monkeypatch):
    monkeypatch.setattr("assistant.router.opening.open_router", lambda *a, **k: None)


@pytest.fixture
def checks(monkeypatch):
    """The hosts that were checked, one after the other."""
    done, whole = [], loader.refusal
    monkeypatch.setattr(loader, "refusal", lambda h, label: done.append(label) or whole(h, label))
    return done


def opened(source):
    settings = config.load({"host": str(source)})
    name, entry = settings.host()
    return host_of(fetch.obtain(config.cache_dir(), name, entry, 1), entry, settings)


def test_build_checks_and_a_load_reads_the_verdict(source, no_router, checks) -> None:
    assert main(["build", "--host", str(source)]) == 0
    assert checks == [source.name]
    opened(source).load()
    assert main(["build", "--host", str(source)]) == 0
    assert checks == [source.name]
    assert main(["build", "--host", str(source), "--force"]) == 0
    assert checks == [source.name] * 2


def test_a_host_that_was_never_checked_is_checked_at_its_first_load(source, checks) -> None:
    host = opened(source)
    for _ in range(2):
        host.load()
        host.check()
    opened(source).load()
    assert checks == [source.name]


def test_another_transformers_or_another_type_is_another_verdict(
    source, checks, monkeypatch
) -> None:
    opened(source).load()
    other = opened(source)
    other._dtype = "float32"
    other.load()
    assert len(checks) == 2
    monkeypatch.setattr("importlib.metadata.version", lambda _: "99.0")
    opened(source).load()
    assert len(checks) == 3


def test_a_verdict_stays_when_the_machine_is_another(source, checks, monkeypatch) -> None:
    opened(source).load()
    monkeypatch.setattr(join, "key", lambda: "another")
    host = opened(source)
    host.load()
    assert host._stored.machine == "another" and len(checks) == 1


def test_what_cannot_be_a_host_is_refused_in_one_line(
    unsuited, no_router, capsys, monkeypatch
) -> None:
    assert main(["build", "--host", str(unsuited)]) == 1
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert "it cannot be a host; choose another host" in told and "per-layer embeddings" in told

    def loaded(*_):
        raise AssertionError("its weights were read to refuse it again")

    monkeypatch.setattr(loader, "load_model", loaded)
    with pytest.raises(RunError) as caught:
        opened(unsuited).load()
    assert str(caught.value) in told
    assert main(["build", "--host", str(unsuited)]) == 1
    assert "it cannot be a host" in capsys.readouterr().err


def test_a_cache_that_cannot_be_written_is_no_hindrance(source, monkeypatch) -> None:
    host = opened(source)

    def refuses(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(store.os, "replace", refuses)
    host.load()
    monkeypatch.undo()
    assert opened(source)._stored.verdict is None
    assert not list(host._root.glob(f"{store.MANIFEST}.*"))


def test_a_manifest_is_hashed_too(source, capsys) -> None:
    first = opened(source)
    first.load()
    path = first._root / store.MANIFEST
    record = json.loads(path.read_text())
    record["verdict"]["refused"] = "no"
    path.write_text(json.dumps(record))
    second = opened(source)
    assert "manifest.json or what it says is damaged: making the host again" in (
        capsys.readouterr().err
    )
    assert second.digest == first.digest
    second.load()
