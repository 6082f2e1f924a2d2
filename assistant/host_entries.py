"""Host entries: what config.yaml may say about a language model, and the names that need no entry.

A host is named by an entry of config.yaml (`qwen3.5-2b`), by a repository of the Hugging Face hub
(`Qwen/Qwen3.5-2B`, or `Qwen/Qwen3.5-2B@revision`), or by a folder (`./my-model`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.nearest import did_you_mean
from vgpu.errors import InputError

Entry = Mapping[str, Any]

# In an entry that no file has: what a person wrote after `--host`.
ASK = "ask"
DTYPES = ("bfloat16", "float32", "float16")
# The form of an entry: a type, a list of one form, or a mapping of keys to forms.
_FORM: dict[str, Any] = {
    "label": str,
    "licence": str,
    "terms": str,
    "dtype": str,
    "router_layers": [int],
    "hub": {"repo": str, "revision": str},
    "gguf": {"sha256": str, "parts": [{"requirement": str, "sha256": str, "member": str}]},
    "folder": str,
}
_NEEDED = {
    "hub": ("repo",),
    "gguf": ("sha256", "parts"),
    "parts": ("requirement", "sha256", "member"),
}
HOST_KEYS = frozenset(_FORM)
_WORDS = {str: "a word", int: "a whole number"}
_REPOSITORY = re.compile(r"\w[\w.-]*/[\w.-]+(@[\w./-]+)?")
_SHOWN = 60  # characters of a value in a message
_NAME = re.compile(r"[\w.-]+")


def check_entries(hosts: Any, where: object) -> dict[str, Entry]:
    """The `hosts` part of a settings file. Raises `InputError` that names the place."""
    if not isinstance(hosts, dict):
        raise InputError(f"{where}: hosts: expected a mapping of names to entries")
    for name, entry in hosts.items():
        place = f"{where}: hosts.{name}"
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(f"{place}: a name is letters, digits, dots and dashes")
        _check(entry, _FORM, place)
        dtype = entry.get("dtype", DTYPES[0])
        if dtype not in DTYPES:
            raise InputError(f'{place}.dtype: "{dtype}" is not one of {", ".join(DTYPES)}')
        if not {"hub", "gguf", "folder"} & set(entry):
            raise InputError(f"{place}: needs a source: hub, gguf or folder")
    return hosts


def shown(value: Any) -> str:
    """A value of the file, or what stands for it, as a message quotes it."""
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = str(value)
    return f'"{text}"' if len(text) <= _SHOWN else f'"{text[:_SHOWN]}..."'


def _check(value: Any, form: Any, place: str) -> None:
    if isinstance(form, dict):
        if not isinstance(value, dict):
            raise InputError(f"{place}: expected a mapping")
        for key, inner in value.items():
            if key not in form:
                raise InputError(f"{place}: unknown key {shown(key)}{did_you_mean(str(key), form)}")
            _check(inner, form[key], f"{place}.{key}")
        for key in _NEEDED.get(re.sub(r"\[\d+\]$", "", place.rpartition(".")[2]), ()):
            if key not in value:
                raise InputError(f"{place}: {key} is missing")
    elif isinstance(form, list):
        if not isinstance(value, list) or not value:
            raise InputError(f"{place}: expected a list")
        for index, inner in enumerate(value):
            _check(inner, form[0], f"{place}[{index}]")
    elif type(value) is not form:
        raise InputError(f"{place}: expected {_WORDS[form]}, not {shown(value)}")


def resolve(name: str, hosts: Mapping[str, Entry]) -> tuple[str, Entry]:
    """Name (that of its folder in the cache) and entry of what a person calls a host."""
    if name in hosts:
        return name, hosts[name]
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _folder(folder)
    if _REPOSITORY.fullmatch(name):
        return _repository(name, hosts)
    if "/" in name or "\\" in name or name.startswith(("~", ".")):
        raise InputError(f'host "{name}": there is no such folder')
    raise InputError(
        f'unknown host "{name}"{did_you_mean(name, hosts)}; or org/name of the hub, or a folder'
    )


def _folder(folder: Path) -> tuple[str, Entry]:
    path = folder.resolve()
    if not (path / "config.json").is_file():
        raise InputError(f"host {path}: not a model: it has no config.json")
    # Two folders of one name are two hosts.
    mark = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    stem = re.sub(r"[^\w.-]", "-", path.name)
    return f"{stem}-{mark}", {"label": path.name, "folder": str(path), ASK: str(path)}


def _repository(name: str, hosts: Mapping[str, Entry]) -> tuple[str, Entry]:
    repo, _, revision = name.partition("@")
    if not revision:
        for key, entry in hosts.items():
            if entry.get("hub", {}).get("repo", "").lower() == repo.lower():
                return key, entry
    key = re.sub(r"[^\w.-]", "-", name.replace("/", "--"))
    source = {"repo": repo, "revision": revision or "main"}
    return key, {"label": repo.partition("/")[2], "hub": source, ASK: name}
