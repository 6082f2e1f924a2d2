"""`verify --text` and `build --export`: on the default host when it can be had, else on none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.commands.tree import app
from assistant.hosts import loader
from evals import bit_identity, random_hosts
from evals.texts import COUNT, LONG_TOKENS, texts
from vgpu.errors import InputError, VgpuError
from vgpu.geometry import Geometry
from vgpu.model import compose
from vgpu.model.compare import TextReport, compare_texts


def test_the_texts_are_two_hundred_and_of_every_kind() -> None:
    found = texts()
    assert len(found) == len(set(found)) == COUNT
    assert "" in found and any("\U0001f642" in text for text in found)
    assert sum(any("а" <= c <= "я" for c in text) for text in found) > 30
    assert len(found[-1]) > 4 * LONG_TOKENS


def test_the_default_hosts_text_is_its_own(real_host) -> None:
    """A sample; `assistant verify --text` takes all. The machine is a small one."""
    model, tokenizer = real_host.load()
    small = Geometry(
        width=8, lanes=4, warps=1, registers=4, instructions=16, memory_bytes=64, hidden=256
    )
    some = bit_identity.encoded(model, tokenizer)[:-1:29]
    host = model.host
    report = compare_texts(host, compose(host, small, check_exact=True), some, pad=0)
    assert report.equal == report.texts == len(some)


def test_a_random_host_is_built_and_compared(monkeypatch) -> None:
    """Three texts; `python -m evals.bit_identity` takes all, of every random host."""
    monkeypatch.setattr(bit_identity, "texts", lambda: ["x", "", "y", "één", "z", "12 × 34?"])
    report = bit_identity.run_random("qwen3.5", "bf16", 2)
    assert (report.equal, report.texts, report.names) == (3, 3, [])


@pytest.mark.parametrize("name", random_hosts.NAMES)
def test_random_hosts_are_hosts(name, tmp_path) -> None:
    random_hosts.write_host(name, "float32", tmp_path)
    host = loader.load_model(tmp_path, name, "float32", "cpu")
    assert loader.refusal(host, name) == ""
    assert len(loader.load_tokenizer(tmp_path, name)("één")["input_ids"]) == 5


def test_random_hosts_by_the_command(monkeypatch, capsys) -> None:
    asked = []

    def run(name, dtype, every, progress):
        asked.append((name, dtype, every))
        return TextReport(25, ["text 3: decode"] if name == "gemma" else [])

    monkeypatch.setattr(bit_identity, "run_random", run)
    monkeypatch.setattr("sys.argv", ["x", "--every", "8"])
    assert bit_identity.main() == 1
    assert len(asked) == 6 and asked[0] == ("qwen3.5", "fp32", 8)
    told = capsys.readouterr().out
    assert "qwen3.5 bf16: 25 of 25 texts" in told and "gemma fp32: 24 of 25 texts" in told
    assert "differs: text 3: decode" in told
    monkeypatch.setattr("sys.argv", ["x", "--host", "llama", "--dtype", "bf16", "--json"])
    assert bit_identity.main() == 0
    assert json.loads(capsys.readouterr().out)["llama bf16"]["texts"] == 25


@pytest.mark.parametrize(("names", "status"), [([], 0), (["text 3: decode"], 1)])
def test_the_command_reports_and_exits(monkeypatch, names, status) -> None:
    monkeypatch.setattr(bit_identity, "run", lambda *_: TextReport(200, names))
    done = CliRunner().invoke(app, ["verify", "--text", "--json"])
    assert done.exit_code == status
    assert json.loads(done.stdout) == {"equal": 200 - len(names), "texts": 200, "names": names}
    done = CliRunner().invoke(app, ["verify", "--text"])
    assert done.exit_code == status and f"{200 - len(names)} of 200 texts" in done.stdout


@pytest.mark.parametrize("arguments", [["--host", "x"], ["--text", "--programs", "3"]])
def test_options_that_do_not_go_together(arguments) -> None:
    done = CliRunner().invoke(app, ["verify", *arguments])
    assert isinstance(done.exception, InputError)


def test_an_export_that_cannot_be_written_is_one_line(monkeypatch, host) -> None:
    from assistant.hosts import export
    from vgpu import model

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(host, "load", lambda: (None, None))
    monkeypatch.setattr(model, "compose", lambda *_: None)
    monkeypatch.setattr(model, "export", full)
    with pytest.raises(VgpuError, match="--export out cannot be written: No space left"):
        export.export_model(host, Path("out"))
