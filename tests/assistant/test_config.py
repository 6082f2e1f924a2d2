"""Settings: later layers win, and unknown keys are named with the nearest known one."""

import pytest
import yaml

from assistant import config
from vgpu.errors import InputError


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "user_file", lambda: tmp_path / "config.yaml")
    for name in ("VGPU_ENGINE", "VGPU_HOST", "VGPU_ROUTER_THRESHOLD"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_packaged_defaults():
    settings = config.load()
    assert settings["engine"] == "sparse"
    name, entry = settings.host()
    assert name == settings["host"]
    assert set(entry) <= config.HOST_KEYS


def test_file_then_environment_then_options(own_folder, monkeypatch):
    (own_folder / "config.yaml").write_text("engine: dense\nrouter:\n  threshold: 0.5\n")
    assert config.load()["engine"] == "dense"
    assert config.load()["router.threshold"] == 0.5
    monkeypatch.setenv("VGPU_ENGINE", "interpreter")
    monkeypatch.setenv("VGPU_ROUTER_THRESHOLD", "1")
    assert config.load()["engine"] == "interpreter"
    assert config.load()["router.threshold"] == 1.0
    assert config.load({"engine": "sparse", "host": None})["engine"] == "sparse"


def test_a_user_adds_a_host(own_folder):
    entry = {"dtype": "float32", "router_layers": [2], "hub": {"repo": "a/b"}}
    (own_folder / "config.yaml").write_text(yaml.safe_dump({"hosts": {"mine": entry}}))
    assert config.load({"host": "mine"}).host() == ("mine", entry)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("engin: dense", 'did you mean "engine"'),
        ("router:\n  treshold: 1", 'did you mean "router.threshold"'),
        ("engine: fast", "sparse, dense, interpreter"),
        ("max_passes: many", "expected a whole number"),
        ("max_passes: true", "expected a whole number"),
        ("max_passes: -1", "negative"),
        ("hosts:\n  x:\n    licens: y", 'did you mean "licence"'),
        ("hosts: 3", "expected a mapping"),
        ("- a", "key: value"),
        ("a: [", "not valid YAML"),
    ],
)
def test_mistakes_in_the_file(own_folder, text, part):
    (own_folder / "config.yaml").write_text(text)
    with pytest.raises(InputError, match="config.yaml") as caught:
        config.load()
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_mistakes_elsewhere(monkeypatch):
    with pytest.raises(InputError, match='unknown host "smol"'):
        config.load().host("smol")
    monkeypatch.setenv("VGPU_ENGIN", "dense")
    with pytest.raises(InputError, match="did you mean .*VGPU_ENGINE"):
        config.load()
