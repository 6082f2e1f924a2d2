"""Settings in four layers: packaged config.yaml, the user's file, VGPU_* variables, options.

Each later layer overrides the earlier ones, key by key. An unknown key or a value of the wrong
type in any layer is an `InputError` that names the place. The files are YAML without anchors.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
import yaml

from assistant.host_entries import HOST_KEYS, check_entries, resolve, shown
from assistant.nearest import did_you_mean
from vgpu.errors import InputError

__all__ = [
    "HOST_KEYS", "Config", "cache_dir", "data_dir", "load", "packaged_file", "remember",
    "user_file",
]  # fmt: skip

APP = "vgpu-assistant"
PREFIX = "VGPU_"
CHOICES = {
    "engine": ("sparse", "dense", "interpreter"),
    "mode": ("basic", "advanced"),
    "via": ("llvmlite", "clang"),
    "advanced.threads": ("one", "all"),
    "advanced.writer": ("auto", "readout", "generate"),
    "theme": ("dark", "light"),
    "device": ("cpu", "cuda", "mps"),
    "router.kind": ("auto", "readout", "generate"),
}
MOST = {"threads": 1024, "router.threshold": 1, "advanced.threshold": 1, "hub_timeout": 3600}
_ANCHOR = re.compile(r"(?:^|[\s,\[{:?])[&*]")  # where there may be one; a comment may have it too
_LONGEST = 100  # characters of a number; Python takes minutes for the longest, or refuses
_BITS = 63  # of a whole number


def packaged_file() -> Path:
    """config.yaml: inside the package when installed, at the repository's root otherwise."""
    here = Path(__file__).resolve().parent
    installed = here / "config.yaml"
    return installed if installed.exists() else here.parent / "config.yaml"


def user_file() -> Path:
    return Path(platformdirs.user_config_dir(APP)) / "config.yaml"


def cache_dir() -> Path:
    return Path(platformdirs.user_cache_dir(APP))


def data_dir() -> Path:
    """Where conversations are kept."""
    return Path(platformdirs.user_data_dir(APP))


@dataclass(frozen=True)
class Config:
    """The merged settings. Scalars are read by dotted key: `config["router.threshold"]`."""

    values: Mapping[str, Any]
    hosts: Mapping[str, Mapping[str, Any]]
    sources: Mapping[str, str]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def host(self, name: str | None = None) -> tuple[str, Mapping[str, Any]]:
        """Name and entry of the host `name` (an entry, org/name or a folder), or the configured."""
        return resolve(name or self.values["host"], self.hosts)


def load(options: Mapping[str, Any] | None = None) -> Config:
    """Merges the layers. `options` holds dotted keys from the command line; None is not given."""
    defaults = _read(packaged_file())
    hosts = dict(check_entries(defaults.pop("hosts"), packaged_file()))
    values = dict(_flatten(defaults))
    known = dict(values)
    sources = {key: "default" for key in values}

    def override(given: Iterable[tuple[str, Any]], where: str) -> None:
        for key, value in given:
            if key not in known:
                raise InputError(f"{where}: unknown key {shown(key)}{did_you_mean(key, known)}")
            if sources[key] == where:  # `router: {kind: x}` and `router.kind: x`
                raise InputError(f"{where}: {shown(key)} is given twice")
            values[key] = _typed(key, value, known[key], where)
            sources[key] = where

    path = user_file()
    if path.exists():
        given = _read(path)
        hosts.update(check_entries(given.pop("hosts", None) or {}, path))
        override(_flatten(given), str(path))
    for variable, key, value in _environment(known):
        override([(key, value)], variable)
    override(((k, v) for k, v in (options or {}).items() if v is not None), "command line")
    return Config(values, hosts, sources)


def remember(key: str, value: str) -> None:
    """One setting outside of sections into the user's file, whose other lines stay as they are.

    Raises `InputError` when the file cannot be written, or is not lines of `key: value`.
    """
    path = user_file()
    before = _read(path) if path.exists() else {}
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    line = re.compile(rf"^{key}:[^\n#]*?(?=\s*(#|$))", re.MULTILINE)
    text, found = line.subn(f"{key}: {value}", text, count=1)
    if not found:
        text += ("" if not text or text.endswith("\n") else "\n") + f"{key}: {value}\n"
    try:
        same = _parse(text) == before | {key: value}
    except yaml.YAMLError:
        same = False
    if not same:
        raise InputError(f"{path}: write `{key}: {value}` into it yourself")
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path.resolve())
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


class _Refused(yaml.MarkedYAMLError):
    """The text is YAML, but no settings. `problem` says why, `problem_mark` where."""

    def __init__(self, problem: str, mark: yaml.Mark | None = None) -> None:
        super().__init__(problem=problem, problem_mark=mark)


# Ten times as fast where PyYAML came with libyaml; every command reads the settings.
_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):
    """Refuses, with its line, what PyYAML takes silently or fails at with an error of Python's."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
            seen = set()
            for name, _ in node.value:
                key = self.construct_object(name)  # for the second time, so it is only looked up
                if key in seen:
                    raise _Refused(f"{shown(key)} is given twice", name.start_mark)
                seen.add(key)
        return mapping


def _scalar(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    try:
        if len(node.value) > _LONGEST:
            raise ValueError
        value = yaml.SafeLoader.yaml_constructors[node.tag](loader, node)
    except (ArithmeticError, AttributeError, LookupError, ValueError):
        kind = node.tag.rpartition(":")[2]
        raise _Refused(f"no valid {kind}: {shown(node.value)}", node.start_mark) from None
    if type(value) is int and value.bit_length() > _BITS:
        raise _Refused(f"too large a number: {shown(node.value)}", node.start_mark)
    return value


for _kind in ("int", "float", "bool", "timestamp"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _scalar)


def _parse(text: str) -> Any:
    """What the YAML says. Raises YAMLError. Aliases can make a short text an endless one."""
    if _ANCHOR.search(text):
        for event in yaml.parse(text, _Loader):
            if getattr(event, "anchor", None):
                raise _Refused("anchors (&) and aliases (*) are not taken", event.start_mark)
    try:
        return yaml.load(text, _Loader)
    except RecursionError:
        raise _Refused("nested too deeply") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            raise InputError(f"{path}: not a regular file")
        content = _parse(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        what = "" if isinstance(error, _Refused) else "not valid YAML: "
        raise InputError(f"{path}{line}: {what}{getattr(error, 'problem', error)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected `key: value` lines")
    return content


def _flatten(tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Dotted keys. Sections hold no sections."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", setting) for inner, setting in value.items())
        else:
            yield f"{key}", value


def _environment(known: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    names = {PREFIX + key.replace(".", "_").upper(): key for key in known}
    for variable, text in os.environ.items():
        if not variable.startswith(PREFIX):
            continue
        if variable not in names:
            raise InputError(f"unknown variable {variable}{did_you_mean(variable, names)}")
        try:
            value = _parse(text)
        except (yaml.YAMLError, UnicodeEncodeError):  # a path, say, which need not be UTF-8
            value = text
        yield variable, names[variable], value


def _typed(key: str, value: Any, default: Any, where: str) -> Any:
    kind = type(default)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        names = {str: "a word", int: "a whole number", float: "a number", bool: "true or false"}
        raise InputError(f"{where}: {key}: expected {names[kind]}, not {shown(value)}")
    choices = CHOICES.get(key)
    if choices and value not in choices:
        raise InputError(f"{where}: {key}: {shown(value)} is not one of {', '.join(choices)}")
    if kind is float and not math.isfinite(value):
        raise InputError(f"{where}: {key}: {value} is not a finite number")
    if kind in (int, float) and value < 0:
        raise InputError(f"{where}: {key}: {value} is negative")
    if key in MOST and value > MOST[key]:
        raise InputError(f"{where}: {key}: {value} is over {MOST[key]}")
    return value
