"""What the host is asked and what the router learns from, as data files beside this module."""

from importlib.resources import files
from typing import Any

import yaml

# libyaml's loader, where it is there, takes a tenth of the time.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def text(name: str) -> str:
    """The contents of the data file `name`, for example "chat.yaml"."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def folder(name: str) -> list[tuple[str, str]]:
    """(name, contents) of every data file in a folder, in order of their names."""
    entries = sorted(files(__name__).joinpath(name).iterdir(), key=lambda entry: entry.name)
    return [
        (entry.name, entry.read_text(encoding="utf-8"))
        for entry in entries
        if entry.name.endswith(".yaml")
    ]


def parsed(contents: str) -> Any:
    """What the contents of a YAML file say."""
    return yaml.load(contents, Loader=_LOADER)
