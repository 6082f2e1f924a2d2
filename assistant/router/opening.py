"""The router that the settings ask for: made ready once, and kept beside the host.

`router.kind: auto` lets a host that is large enough write its calls itself. For a smaller one a
read-out is loaded: the one in `weights/`, trained with an adapter for the host of that name, or
one that is fitted here on the written phrasings, in a few minutes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.config import Config, cache_dir
from assistant.console import note
from assistant.hosts import Host, store
from assistant.hosts.failures import storage_errors
from assistant.router.routed import Router

if TYPE_CHECKING:
    from assistant.reading.kept import Fit

WEIGHTS = Path(__file__).parent / "weights"
# From here on hosts follow a few examples well enough to write calls. (docs/routing.md)
CAPABLE = 1_500_000_000


def open_router(config: Config, host: Host, *, force: bool = False) -> Router:
    """The router for this host; its read-out is fitted now when there is none yet."""
    if kind_of(config, host) == "generate":
        from assistant.router.generate import GenerateRouter

        host.load()
        return GenerateRouter(host, config["router.threshold"], config["router.shots"])
    from assistant.router.readout import ReadoutRouter

    return ReadoutRouter(host, _readout(config, host, force), config["router.threshold"])


def kind_of(config: Config, host: Host) -> str:
    """generate or readout."""
    kind: str = config["router.kind"]
    if kind == "auto":
        return "generate" if host.parameters >= CAPABLE else "readout"
    return kind


def shipped(host: Host) -> Path | None:
    """The read-out that comes with the package for this host, if there is one."""
    path = WEIGHTS / f"{host.name}.safetensors"
    return path if path.is_file() else None


def _readout(config: Config, host: Host, force: bool) -> Fit:
    from assistant.reading import kept

    if (path := shipped(host)) is not None:
        layers = host.layers
        try:
            return kept.load(path, layers)
        except kept.Damaged:
            note(f"{path} is damaged: a router without an adapter is used; install again")
    fit = None if force else _kept(config, host)
    if fit is None:
        # It lies in the host's folder, which another process may be making anew.
        with store.locked(cache_dir(), host.name), storage_errors(cache_dir()):
            fit = (None if force else _kept(config, host)) or _fit(config, host)
    return fit


def _place(host: Host) -> Path:
    return store.folder(cache_dir(), host.name) / store.ROUTER


def _kept(config: Config, host: Host) -> Fit | None:
    from assistant.reading import kept

    path = _place(host)
    try:
        said = kept.about(path)
        if said is None or said["key"] != _key(config, host):
            return None
        return kept.load(path, host.layers)
    except kept.Damaged:
        note(f"{path} is damaged: the router is fitted again")
        return None


def _key(config: Config, host: Host) -> str:
    """Names what a read-out depends on: host, layers, phrasings, amounts."""
    import prompts

    parts = [host.digest, str(host.router_layers), str(config["router.questions"])]
    parts += [text for _, text in prompts.folder("routing")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _fit(config: Config, host: Host) -> Fit:
    import random

    from assistant.reading import kept
    from assistant.router.samples import samples
    from assistant.router.train import EPOCHS, SEED, fit

    note("fitting the router on generated questions (once, a few minutes)")
    data = samples(1, SEED)
    data = random.Random(SEED).sample(data, min(config["router.questions"], len(data)))
    made = fit(host, data, rank=0, epochs=EPOCHS, say=note)
    report = made.report
    note(
        f"router: {report['shown']:,} questions; {report['right'] / report['held_out']:.0%} right "
        f"of {report['held_out']:,} whose phrasings were held out"
    )
    kept.save(_place(host), made, _key(config, host))
    return made
