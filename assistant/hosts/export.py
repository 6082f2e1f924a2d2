"""`assistant build --export`: the composite of a host, for transformers without this package."""

from __future__ import annotations

from pathlib import Path

from assistant.hosts.model import Host
from assistant.hosts.quiet import quiet
from vgpu.errors import RunError

_EXAMPLE = "dot", [[1, 2, 3], [4, 5, 6]]


def export_model(host: Host, folder: Path) -> None:
    """Writes the folder with the dot product of two vectors as its example. Raises RunError when
    it cannot be written."""
    from safetensors import SafetensorError

    import codegen
    from vgpu.model import export
    from vgpu.model.export import Example

    name, arguments = _EXAMPLE
    kernel = codegen.catalog()[name]
    launch = kernel.bind(arguments)
    call = f"{name}({', '.join(map(str, arguments))})"
    example = Example(call, kernel.program(), launch.inputs, launch.outputs, launch.block)
    model, tokenizer = host.load()
    try:
        with quiet():
            export(model, folder.absolute(), tokenizer, example)
    except (OSError, SafetensorError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).splitlines()[0]
        raise RunError(f"--export {folder} cannot be written: {reason}") from None
