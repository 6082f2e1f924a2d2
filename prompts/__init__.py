"""What the host is asked and what the router learns from, as data files beside this module."""

from importlib.resources import files


def text(name: str) -> str:
    """The contents of the data file `name`, for example "chat.yaml"."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
