"""`build` and `doctor` on a host of the tests' own: made, verified, damaged, made again."""

import json

import pytest

from assistant import config
from assistant.cli import main
from assistant.hosts import checkpoint, store
from assistant.hosts.stand_in import write_checkpoint


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    write_checkpoint(folder)
    return folder


@pytest.fixture
def no_router(monkeypatch):
    """Fitting the router is another test's matter; it needs a minute."""
    opened = []
    monkeypatch.setattr(
        "assistant.router.opening.open_router", lambda *a, **k: opened.append((a, k))
    )
    return opened


def damage(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_build_makes_verifies_and_repairs(model, no_router, capsys):
    assert main(["build", "--host", str(model)]) == 0
    told = capsys.readouterr()
    assert f"folder {model}" in told.out
    assert len(no_router) == 1
    name, _ = config.load().host(str(model))
    stored = store.load(config.cache_dir(), name)
    assert main(["doctor", "--host", str(model), "--verify", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["host"]
    assert record["verified"] and record["cached"]
    assert record["needs_bytes"] > record["disk_bytes"]

    damage(stored.root / checkpoint.SINGLE)
    assert main(["doctor", "--host", str(model), "--verify"]) == 1
    told = capsys.readouterr().err
    assert f"is damaged (wrong SHA-256): run `assistant build --host {model}`" in told
    assert main(["build", "--host", str(model)]) == 0
    assert "making the host again" in capsys.readouterr().err
    assert main(["doctor", "--host", str(model), "--verify"]) == 0
    assert "every file verified" in capsys.readouterr().out


def test_build_force_makes_it_anew(model, no_router, capsys):
    assert main(["build", "--host", str(model), "--force"]) == 0
    assert no_router[0][1] == {"force": True}


def test_doctor_without_a_host(model, capsys):
    assert main(["doctor", "--host", str(model), "--verify"]) == 1
    assert "no host to verify: run `assistant build" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "part"),
    [
        (["--host", "gemma-3-270m"], 1, "--accept-licence"),
        (["--host", "./nowhere"], 2, "no such folder"),
        (["--host", "qwen"], 2, "unknown host"),
    ],
)
def test_build_refuses_in_one_line(arguments, status, part, capsys):
    assert main(["build", *arguments]) == status
    told = capsys.readouterr().err.strip()
    assert part in told and "\n" not in told
