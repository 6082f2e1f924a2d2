"""Settings: later layers win, and unknown keys are named with the nearest known one."""

import os

import pytest
import yaml

from assistant import config
from vgpu.errors import InputError

# Short, and 2 ** 29 words long when every alias is followed.
DOUBLED = "a0: &a0 [x, x]\n" + "".join(
    f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 30)
)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "user_file", lambda: tmp_path / "config.yaml")
    for name in ("VGPU_ENGINE", "VGPU_HOST", "VGPU_ROUTER_THRESHOLD", "VGPU_THREADS"):
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
        ("threads: 100000", "over 1024"),
        ("hosts:\n  x:\n    licens: y", 'did you mean "licence"'),
        ("hosts: 3", "expected a mapping"),
        ("hosts:\n  x: 3", "hosts.x: expected a mapping"),
        ("hosts:\n  x: {label: y}", "needs a source: hub, gguf or folder"),
        ("hosts:\n  x: {hub: {}}", "hosts.x.hub: repo is missing"),
        ("hosts:\n  x: {hub: {repo: a/b, revison: c}}", 'did you mean "revision"'),
        ("hosts:\n  x: {hub: {repo: 7}}", 'hosts.x.hub.repo: expected a word, not "7"'),
        ("hosts:\n  x: {folder: y, dtype: int4}", "bfloat16, float32, float16"),
        ("hosts:\n  x: {folder: y, router_layers: 3}", "router_layers: expected a list"),
        ("hosts:\n  x: {folder: y, router_layers: [a]}", "router_layers[0]: expected a whole"),
        ("hosts:\n  x: {gguf: {sha256: a, parts: [{member: b}]}}", "parts[0]: requirement is miss"),
        ("hosts:\n  a/b: {folder: y}", "a name is letters"),
        ("device: tpu", "cpu, cuda, mps"),
        ("- a", "key: value"),
        ("a: [", "not valid YAML"),
        ("a: [\n" * 2000, "not valid YAML"),
        ("mode: basic\nthreads: " + "9" * 5000, 'yaml:2: no valid int: "999'),
        ("threads: 0x" + "f" * 16, 'yaml:1: too large a number: "0xfff'),
        ("threads: " + "1:" * 1000000 + "1", 'yaml:1: no valid int: "1:1:'),
        ("threads: 2024-99-99", 'yaml:1: no valid timestamp: "2024-99-99"'),
        ("threads: 2024-01-01T99:00:00Z", "yaml:1: no valid timestamp"),
        ("threads: 2024-01-01", 'expected a whole number, not "2024-01-01"'),
        ("threads: !!int foo", 'yaml:1: no valid int: "foo"'),
        ("threads: !!int ''", 'yaml:1: no valid int: ""'),
        ("threads: !!float foo", 'yaml:1: no valid float: "foo"'),
        ("threads: !!bool foo", 'yaml:1: no valid bool: "foo"'),
        ("threads: !!timestamp foo", 'yaml:1: no valid timestamp: "foo"'),
        ("x: 0x_", 'yaml:1: no valid int: "0x_"'),
        ("2024-99-99: x", "yaml:1: no valid timestamp"),
        ("router:\n  threshold: " + "9" * 400, "yaml:2: no valid int"),
        ("router:\n  threshold: .nan", "router.threshold: nan is not a finite number"),
        ("router:\n  threshold: .inf", "router.threshold: inf is not a finite number"),
        ("router:\n  threshold: 1.5", "router.threshold: 1.5 is over 1"),
        ("advanced:\n  temperature: 1.0e+999", "temperature: inf is not a finite number"),
        ("router:\n  threshold: {a: {b: c}}", "expected a number, not a mapping"),
        ("router: &a {threshold: *a}", "yaml:1: anchors (&) and aliases (*) are not taken"),
        ("hosts: {&a x: *a}", "yaml:1: anchors (&) and aliases (*) are not taken"),
        (DOUBLED, "yaml:1: anchors (&) and aliases (*) are not taken"),
        ("{<<: " * 980 + "{}" + "}" * 980, "nested too deeply"),
        ("threads: 2\nmode: basic\nthreads: 1", 'yaml:3: "threads" is given twice'),
        ("hosts:\n  x: {folder: y}\n  x: {folder: z}", 'yaml:3: "x" is given twice'),
        ("router.kind: auto\nrouter:\n  kind: auto", '"router.kind" is given twice'),
        ("? " + "x" * 5000 + "\n: 1", 'xxx..."'),
        ("hosts:\n  x: {label: " + "[" * 900 + "]" * 900 + "}", "expected a word, not a list"),
    ],
)  # fmt: skip
def test_mistakes_in_the_file(own_folder, text, part):
    (own_folder / "config.yaml").write_text(text)
    with pytest.raises(InputError, match="config.yaml") as caught:
        config.load()
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(own_folder)) + 600


@pytest.mark.parametrize("text", ["# *a & b\nclang: a*b&c", "clang: '&a *b'", "clang: a - *b"])
def test_stars_that_are_no_aliases(own_folder, text):
    (own_folder / "config.yaml").write_text(text)
    assert config.load()["clang"] == yaml.safe_load(text)["clang"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir] if hasattr(os, "mkfifo") else [os.mkdir])
def test_what_is_no_file_is_not_waited_for(own_folder, make):
    make(own_folder / "config.yaml")
    with pytest.raises(InputError, match="config.yaml: not a regular file"):
        config.load()
    with pytest.raises(InputError, match="config.yaml: not a regular file"):
        config.remember("theme", "light")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("2024-99-99", 'expected a whole number, not "2024-99-99"'),
        ("9" * 5000, 'expected a whole number, not "999'),
        ("!!int foo", 'expected a whole number, not "!!int foo"'),
        ("{a: " * 900 + "}" * 900, "expected a whole number, not a mapping"),
        ("&a [*a]", 'not "&a [*a]"'),
        ("\udcff", "expected a whole number"),
    ],
)
def test_mistakes_in_a_variable(monkeypatch, text, part):
    monkeypatch.setenv("VGPU_THREADS", text)
    with pytest.raises(InputError, match="^VGPU_THREADS: threads: ") as caught:
        config.load()
    assert part in str(caught.value)
    assert len(str(caught.value)) < 200


def test_hosts_that_need_no_entry(tmp_path):
    settings = config.load()
    name, entry = settings.host("Org/Model")
    assert (name, entry["hub"]) == ("Org--Model", {"repo": "Org/Model", "revision": "main"})
    name, entry = settings.host("Org/Model@v1")
    assert (name, entry["hub"]["revision"]) == ("Org--Model-v1", "v1")
    # A repository that has an entry is that entry, with its pinned revision.
    name, entry = settings.host("qwen/qwen3.5-2b")
    assert name == "qwen3.5-2b"
    assert len(entry["hub"]["revision"]) == 40
    for folder in (tmp_path / "a" / "m", tmp_path / "b" / "m"):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
    first, entry = settings.host(str(tmp_path / "a" / "m"))
    assert entry["folder"] == str(tmp_path / "a" / "m")
    assert first.startswith("m-") and first != settings.host(str(tmp_path / "b" / "m"))[0]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("./nowhere", "there is no such folder"),
        ("/no/such/folder", "there is no such folder"),
        ("a/b/c", "there is no such folder"),
        ("qwen3.5-2c", 'did you mean "qwen3.5-2b"'),
        ("zzz", "smollm2-135m-instruct"),
    ],
)
def test_hosts_that_are_not_there(name, part):
    with pytest.raises(InputError) as caught:
        config.load().host(name)
    assert part in str(caught.value)


def test_a_folder_that_is_no_model(tmp_path):
    with pytest.raises(InputError, match="not a model: it has no config.json"):
        config.load().host(str(tmp_path))


def test_mistakes_elsewhere(monkeypatch):
    with pytest.raises(InputError, match='unknown host "smol"'):
        config.load().host("smol")
    monkeypatch.setenv("VGPU_ENGIN", "dense")
    with pytest.raises(InputError, match="did you mean .*VGPU_ENGINE"):
        config.load()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "theme: light\n"),
        ("", "theme: light\n"),
        ("engine: dense  # mine", "engine: dense  # mine\ntheme: light\n"),
        ("# a\ntheme: dark   # b\nchat:\n  max_tokens: 9\n",
         "# a\ntheme: light   # b\nchat:\n  max_tokens: 9\n"),
        ("chat:\n  theme: x\n", "chat:\n  theme: x\ntheme: light\n"),
        ("theme:\nengine: dense\n", "theme: light\nengine: dense\n"),
    ],
)  # fmt: skip
def test_a_choice_is_remembered_and_the_rest_of_the_file_stays(own_folder, before, after):
    file = own_folder / "config.yaml"
    if before is not None:
        file.write_text(before)
    config.remember("theme", "light")
    assert file.read_text() == after
    assert [path.name for path in own_folder.iterdir()] == ["config.yaml"]
    config.remember("theme", "dark")
    assert yaml.safe_load(file.read_text())["theme"] == "dark"


@pytest.mark.parametrize("text", ["{engine: dense}", "- 1", "engine: dense\n..."])
def test_a_file_of_another_form_is_left_alone(own_folder, text):
    file = own_folder / "config.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match="config.yaml: "):
        config.remember("theme", "light")
    assert file.read_text() == text


def test_a_file_that_cannot_be_written(own_folder, monkeypatch):
    (own_folder / "file").write_text("")
    monkeypatch.setattr(config, "user_file", lambda: own_folder / "file" / "config.yaml")
    with pytest.raises(InputError, match="config.yaml: cannot be written: "):
        config.remember("theme", "light")
