"""Who writes kernels for a host: a writer that was trained for it, or the host's own text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.advanced.write import HostWriter, Writer
from vgpu.errors import InputError

if TYPE_CHECKING:
    from assistant.config import Config


def writer_for(config: Config, host: Any) -> Writer:
    """The writer that `advanced.writer` asks for. Raises InputError when there is none."""
    from assistant.advanced import learned

    kind = config["advanced.writer"]
    path = learned.shipped(host)
    if kind == "readout" and path is None:
        raise InputError(
            f"advanced.writer: no writer comes with {host.label}: set it to auto or generate"
        )
    if kind == "generate" or path is None:
        return HostWriter(host, config["advanced.max_tokens"])
    return learned.LearnedWriter(host, path)
