"""What the host is asked and what the router learns from, as data files beside this module."""

from importlib.resources import files


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
