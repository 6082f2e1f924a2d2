"""`assistant verify --text`: the composite's logits against those of the host alone."""

from __future__ import annotations

import typer

from assistant.config import Config
from assistant.console import Progress, note, out, out_json
from vgpu.errors import InputError


def compare(settings: Config, json: bool, *, asked: bool = True) -> None:
    """Prints how many texts are equal; exit status 1 when one is not."""
    if not asked:
        raise InputError("--host chooses the host of --text: add --text")
    from evals import bit_identity

    note("comparing logits: each text by the host alone, and by host and machine; some minutes")
    progress = Progress("texts")
    try:
        report = bit_identity.run(settings, progress)
    finally:
        progress.close()
    if json:
        out_json({"equal": report.equal, "texts": report.texts, "names": report.names})
    else:
        for name in report.names:
            out(f"differs: {name}")
        out(f"{report.equal} of {report.texts} texts have the host's logits, bit for bit")
    if report.names:
        raise typer.Exit(1)
