"""The layers of a Llama without transformers: the same states, bit for bit, or none at all."""

import json
import subprocess
import sys

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from assistant import config
from assistant.hosts import body, fetch, host_of, loader, reading, store
from assistant.hosts.stand_in import write_checkpoint, write_tokenizer
from assistant.reading.adapter import Adapter
from vgpu.errors import InputError, RunError

SMALL = {
    "vocab_size": 320, "hidden_size": 96, "intermediate_size": 160, "num_hidden_layers": 4,
    "num_attention_heads": 6, "num_key_value_heads": 2, "rms_norm_eps": 1e-5,
}  # fmt: skip
TEXTS = (
    "x", "", "What is 12 times 40?", "Ещё 3 и 4?", "🙂" * 9,
    "A long one: " + "7 boxes of 12 pens, " * 60,
)  # fmt: skip
KINDS = {
    "grouped": {},
    "each its own": {"num_key_value_heads": 6},
    "one for all": {"num_key_value_heads": 1},
    "untied": {"tie_word_embeddings": False},
    "wide heads": {"head_dim": 32},
    "another base": {"rope_parameters": {"rope_type": "default", "rope_theta": 100000.0}},
}
UNFIT = {
    "scaled positions": {
        "rope_parameters": {"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0}
    },
    "biases": {"attention_bias": True},
    "biases above": {"mlp_bias": True},
    "another activation": {"hidden_act": "gelu"},
}


def write(folder, dtype=torch.bfloat16, shards=None, **changes):
    torch.manual_seed(3)
    model = LlamaForCausalLM(LlamaConfig(**SMALL | changes))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    model.to(dtype).save_pretrained(folder, **({"max_shard_size": shards} if shards else {}))
    write_tokenizer(folder)
    return folder


def opened(folder, **settings):
    chosen = config.load({"host": str(folder), **settings})
    name, entry = chosen.host()
    return host_of(fetch.obtain(config.cache_dir(), name, entry, 1), entry, chosen)


def whole(folder, dtype=torch.bfloat16):
    from transformers import AutoTokenizer

    model = LlamaForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    return model, AutoTokenizer.from_pretrained(folder)


def same(one, other, layers, adapter=None):
    with torch.inference_mode():
        for text in TEXTS:
            ((states, spans),) = reading.read(*one, [text], layers, adapter)
            ((others, other_spans),) = reading.read(*other, [text], layers, adapter)
            assert spans == other_spans
            assert torch.equal(states, others), text


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("kind", KINDS)
def test_states_are_those_of_transformers(kind, dtype, tmp_path):
    write(tmp_path, dtype, **KINDS[kind])
    light = body.load(tmp_path, str(dtype).removeprefix("torch."))
    same(whole(tmp_path, dtype), light, (0, 1, 3))


def test_shards_and_another_type_than_stored(tmp_path):
    write(tmp_path, torch.float32, shards="100KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    same(whole(tmp_path), body.load(tmp_path, "bfloat16"), (1, 2))


def test_an_adapter_finds_its_layers(tmp_path):
    write(tmp_path, torch.float32)
    light, model = body.load(tmp_path, "float32"), whole(tmp_path, torch.float32)
    adapter = Adapter(model[0].base_model.layers, 1, 3, 4)
    torch.nn.init.normal_(adapter.factors["1-mlp-down_proj-b"], std=0.5)
    same(model, light, (1, 2, 3), adapter)
    with torch.inference_mode():
        ((plain, _),) = reading.read(*light, ["x"], (3,))
        ((adapted, _),) = reading.read(*light, ["x"], (3,), adapter)
    assert not torch.equal(plain, adapted)


@pytest.mark.parametrize("kind", UNFIT)
def test_what_the_layers_do_not_do_is_not_theirs(kind, tmp_path):
    write(tmp_path, **UNFIT[kind])
    assert body.load(tmp_path, "bfloat16") is None


def test_another_architecture_is_not_theirs(tmp_path):
    write_checkpoint(tmp_path)
    assert body.load(tmp_path, "bfloat16") is None


def test_a_checkpoint_without_a_tensor_is_not_theirs(tmp_path):
    from safetensors.torch import load_file, save_file

    file = write(tmp_path) / "model.safetensors"
    tensors = load_file(file)
    del tensors["model.layers.2.mlp.up_proj.weight"]
    save_file(tensors, file, {"format": "pt"})
    assert body.load(tmp_path, "bfloat16") is None


def test_reading_takes_the_layers_alone_until_text_is_wanted(tmp_path, monkeypatch):
    write(tmp_path)
    opened(tmp_path).load()  # checks it
    host = opened(tmp_path)
    before = host.read(["What is 12 times 40?"])
    assert host._model is None and host._light is not None
    assert "".join(host.chat([{"role": "user", "content": "Hello"}], 3)) is not None
    assert host._light is None
    after = host.read(["What is 12 times 40?"])
    assert before[0][1] == after[0][1] and torch.equal(before[0][0], after[0][0])


def test_a_host_that_reads_otherwise_is_read_whole(tmp_path, monkeypatch):
    write(tmp_path)
    monkeypatch.setattr(reading, "alike", lambda *_: False)
    opened(tmp_path).load()
    host = opened(tmp_path)
    assert host._stored.verdict.light is False
    host.read(["x"])
    assert host._model is not None


def test_alike_sees_one_bit(tmp_path):
    write(tmp_path)
    one, other = body.load(tmp_path, "bfloat16"), body.load(tmp_path, "bfloat16")
    assert reading.alike(one, other, (1, 2))
    weight = other[0].layers[0].mlp.up_proj.weight.clone()
    weight.view(torch.int16)[3, 5] ^= 1 << 9
    other[0].layers[0].mlp.up_proj.weight = torch.nn.Parameter(weight)
    assert not reading.alike(one, other, (1, 2))


def test_a_host_checked_before_there_were_such_layers_is_checked_again(tmp_path):
    write(tmp_path)
    first = opened(tmp_path)
    first.load()
    old = store.Verdict(first._stored.verdict.transformers, first._stored.verdict.dtype)
    store.judge(first._stored, old)
    host = opened(tmp_path)
    assert host._stored.verdict.light is None
    host.open()
    assert host._model is not None
    assert opened(tmp_path)._stored.verdict.light is True


def damage(file, at):
    content = bytearray(file.read_bytes())
    content[at] ^= 4
    file.write_bytes(content)


def test_damage_is_found_before_anything_is_read(tmp_path):
    write(tmp_path)
    host = opened(tmp_path)
    host.load()
    damage(host._root / "model.safetensors", -7)
    host = opened(tmp_path)
    for _ in range(2):
        with pytest.raises(RunError, match="model.safetensors"):
            host.read(["x"])


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors", "host_config.json"])
@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("checked", [False, True])
def test_damage_is_told_as_damage_and_not_by_what_it_breaks(tmp_path, name, hashed, checked):
    """Also of a file that changes between its hash and its reading, by either way to read."""
    write(tmp_path)
    host = opened(tmp_path)
    if checked:
        host.load()
        host = opened(tmp_path)
    if hashed:
        host._verified.result()
    damage(host._root / name, 20)
    for _ in range(2):
        with pytest.raises(RunError, match=r"damaged.*assistant build"):
            if not hashed:
                host = opened(tmp_path)
            host.read(["x"])


def test_a_device_that_is_not_there_is_said(tmp_path):
    write(tmp_path)
    opened(tmp_path).load()
    with pytest.raises(InputError, match='has no "cuda" here'):
        opened(tmp_path, device="cuda").read(["x"])


@pytest.mark.parametrize(
    ("key", "value"), [("num_key_value_heads", None), ("rms_norm_eps", ...), ("head_dim", None)]
)
def test_settings_that_transformers_fills_in_are_read_by_it(tmp_path, key, value):
    write(tmp_path, num_key_value_heads=6)
    file = tmp_path / "config.json"
    settings = json.loads(file.read_text())
    settings.pop(key) if value is ... else settings.update({key: value})
    file.write_text(json.dumps(settings))
    host = opened(tmp_path)
    assert host.read(["What is 12 times 40?"])
    again = opened(tmp_path)
    assert torch.equal(again.read(["x"])[0][0], host.read(["x"])[0][0])


def test_a_tokenizer_that_cuts_is_not_let(tmp_path):
    from tokenizers import Tokenizer

    write(tmp_path)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    tokenizer.enable_truncation(20)
    tokenizer.enable_padding(length=50)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    same(whole(tmp_path), body.load(tmp_path, "bfloat16"), (1, 2))


def test_too_little_memory_is_said_before_anything_is_read(tmp_path, monkeypatch):
    write(tmp_path)
    opened(tmp_path).load()

    def full(*_):
        raise RunError("needs more memory")

    monkeypatch.setattr(loader, "check_memory", full)
    with pytest.raises(RunError, match="needs more memory"):
        opened(tmp_path).read(["x"])


def test_a_layer_that_is_not_there_is_said(tmp_path):
    write(tmp_path)
    with pytest.raises(RunError, match="router_layers: it has only 4 layers"):
        opened(tmp_path).read(["x"], layers=(9,))


def test_a_routed_question_imports_no_transformers(real_host):
    real_host.load()
    code = """
import json, sys
from assistant.answer import Assistant
from assistant import config
answer = Assistant(config.load()).answer("What is 12 times 34?")
heavy = [name for name in ("transformers", "sympy") if name in sys.modules]
print(json.dumps([answer.record()["figures"], heavy]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == [[408], []]
