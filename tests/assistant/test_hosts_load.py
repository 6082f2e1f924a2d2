"""Loading: Qwen3.5's text part, equal to the original bit for bit, and what is refused."""

import json

import pytest
import torch
from transformers import Qwen3_5ForCausalLM, Qwen3_5ForConditionalGeneration

from assistant import config
from assistant.hosts import checkpoint, fetch, host_of, loader, memory, store
from assistant.hosts.stand_in import TINY, TRUE_SIZE, write_checkpoint
from vgpu.errors import InputError, RunError

IDS = torch.tensor([[5, 9, 200, 17, 33, 2, 8, 100, 101, 7, 250, 3]])
KINDS = {
    "single": {},
    "sharded": {"shard_bytes": 100_000},
    "text only": {"text_only": True},
    "untied": {"tied": False, "shard_bytes": 100_000},
    "fp32": {"dtype": "float32"},
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    made = {}

    def get(kind):
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind.replace(" ", "-"))
            write_checkpoint(made[kind], **KINDS[kind])
        return made[kind]

    return get


def opened(cache, folder):
    """The host of a local folder, as `assistant build --host FOLDER` makes it."""
    settings = config.load({"host": str(folder)})
    name, entry = settings.host()
    return host_of(fetch.obtain(cache, name, entry, 1), entry, settings)


@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_the_originals(written, tmp_path, kind):
    folder = written(kind)
    dtype = torch.float32 if kind == "fp32" else torch.bfloat16
    whole = Qwen3_5ForCausalLM if kind == "text only" else Qwen3_5ForConditionalGeneration
    original = whole.from_pretrained(folder, dtype=dtype).eval()
    host = opened(tmp_path, folder)
    host._dtype = "float32" if kind == "fp32" else "bfloat16"
    joined, tokenizer = host.load()
    model = joined.host
    assert isinstance(model, Qwen3_5ForCausalLM)
    assert not any("visual" in name or "mtp" in name for name, _ in model.named_parameters())
    tied = model.lm_head.weight.data_ptr() == model.model.embed_tokens.weight.data_ptr()
    assert tied == (kind != "untied")
    kinds = {layer for layer in model.config.layer_types}
    assert kinds == {"linear_attention", "full_attention"}
    with torch.inference_mode():
        assert torch.equal(model(input_ids=IDS).logits, original(input_ids=IDS).logits)
        past = {"machine_on_text": False}
        cache = joined(input_ids=IDS[:, :7], use_cache=True, **past).cache
        ours = joined(input_ids=IDS[:, 7:8], cache=cache, **past).logits
        cache = original(input_ids=IDS[:, :7], use_cache=True).cache
        theirs = original(input_ids=IDS[:, 7:8], cache=cache).logits
    assert torch.equal(ours, theirs)


def test_a_host_of_a_folder_reads_and_talks(written, tmp_path):
    host = opened(tmp_path, written("sharded"))
    assert host.router_layers == (1, 2)
    for states, characters in host.read(["one", "", "two words"]):
        assert states.shape == (len(characters), 2 * TINY["hidden_size"])
        assert torch.isfinite(states).all()
    assert isinstance("".join(host.chat([{"role": "user", "content": "hello"}], 4)), str)


def test_a_base_model_without_a_template_talks(written, tmp_path):
    host = opened(tmp_path, written("single"))
    _, tokenizer = host.load()
    tokenizer.chat_template = None
    assert "\n" not in "".join(host.chat([{"role": "user", "content": "hello"}], 4))


def test_an_error_while_talking_is_told(written, tmp_path, monkeypatch):
    host = opened(tmp_path, written("single"))
    model, _ = host.load()

    def fails(**_):
        raise ValueError("no such thing\nmore")

    monkeypatch.setattr(model, "generate", fails)
    with pytest.raises(RunError, match="no such thing$"):
        list(host.chat([{"role": "user", "content": "hello"}], 4))


def test_a_changed_folder_is_noticed(written, tmp_path):
    folder = tmp_path / "mine"
    write_checkpoint(folder)
    stored = opened(tmp_path, folder)
    copy = store.load(tmp_path, stored.name).root / checkpoint.SINGLE
    data = bytearray(copy.read_bytes())
    data[-1] ^= 1
    copy.write_bytes(data)
    with pytest.raises(RunError, match="wrong SHA-256"):
        opened(tmp_path, folder).load()


def test_too_little_memory_is_told_before_loading(written, monkeypatch):
    folder = written("single")
    needed = loader.needed_bytes(folder, "bfloat16")
    assert needed == 2 * checkpoint.text_parameters(folder) + memory.OVERHEAD
    monkeypatch.setattr(memory, "available", lambda device="cpu": 1 << 20)
    with pytest.raises(RunError, match=r"host Tiny needs 734.* MB of memory and 1.0 MB are free: "):
        loader.load_model(folder, "Tiny", "bfloat16", "cpu")


def test_the_true_size_is_counted_from_shapes():
    """1.88 thousand million numbers: 3.8 GB in bf16, below 6 GB with all the rest."""
    from transformers import Qwen3_5TextConfig

    with torch.device("meta"):
        model = Qwen3_5ForCausalLM(Qwen3_5TextConfig(**TRUE_SIZE, tie_word_embeddings=True))
    numbers = sum(p.numel() for p in model.parameters())
    assert 1.8e9 < numbers < 2e9
    assert 2 * numbers + memory.OVERHEAD < 6e9


def test_a_device_that_is_not_here(written):
    if torch.cuda.is_available():
        pytest.skip("has CUDA")
    with pytest.raises(InputError, match='no "cuda" here'):
        loader.load_model(written("single"), "Tiny", "bfloat16", "cuda")


def damaged(written, tmp_path, change):
    """A folder like the sharded one after `change`, opened: the error's text."""
    import shutil

    folder = tmp_path / "damaged"
    shutil.copytree(written("sharded"), folder)
    change(folder)
    with pytest.raises(RunError) as caught:
        opened(tmp_path / "cache", folder).load()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_missing_tensor_is_not_made_up(written, tmp_path):
    from safetensors.torch import load_file, save_file

    def change(folder):
        index = json.loads((folder / checkpoint.INDEX).read_text())
        file = folder / index["weight_map"].pop("model.language_model.norm.weight")
        tensors = load_file(file)
        del tensors["model.language_model.norm.weight"]
        save_file(tensors, file, {"format": "pt"})
        (folder / checkpoint.INDEX).write_text(json.dumps(index))

    assert "the checkpoint lacks model." in damaged(written, tmp_path, change)


def test_a_file_cut_short(written, tmp_path):
    def change(folder):
        file = sorted(folder.glob("*.safetensors"))[-1]
        file.write_bytes(file.read_bytes()[:-100])

    assert "not a whole safetensors file" in damaged(written, tmp_path, change)


def test_a_missing_shard(written, tmp_path):
    def change(folder):
        checkpoint.weight_files(folder)[0].unlink()

    assert "No such file" in damaged(written, tmp_path, change)


def test_no_weights_at_all(written, tmp_path):
    def change(folder):
        for file in [*folder.glob("*.safetensors"), folder / checkpoint.INDEX]:
            file.unlink()

    assert "has no model.safetensors (it has no weights at all)" in damaged(
        written, tmp_path, change
    )


def test_settings_of_another_size(written, tmp_path):
    def change(folder):
        settings = json.loads((folder / "config.json").read_text())
        settings["text_config"]["hidden_size"] = 128
        (folder / "config.json").write_text(json.dumps(settings))

    assert "cannot be loaded" in damaged(written, tmp_path, change)


def test_no_tokenizer(written, tmp_path):
    def change(folder):
        for file in folder.glob("tokenizer*"):
            file.unlink()

    assert "has no tokenizer (none of tokenizer.json" in damaged(written, tmp_path, change)


def test_settings_that_are_no_json(written, tmp_path):
    def change(folder):
        (folder / "config.json").write_text("{")

    assert "config.json: cannot be read" in damaged(written, tmp_path, change)
