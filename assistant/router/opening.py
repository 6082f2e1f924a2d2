"""The router that the settings ask for, with its head fitted when the cache has none."""

from __future__ import annotations

from assistant.config import Config, cache_dir
from assistant.console import Progress, note
from assistant.hosts import Host, store
from assistant.router import head
from assistant.router.routed import Router


def open_router(config: Config, host: Host, *, force: bool = False) -> Router:
    """Loads the head for this host and these phrasings, or fits it now (a minute or less)."""
    fitted = None if force else _kept(config, host)
    if fitted is None:
        # The head lies in the host's folder, which another process may be making anew.
        with store.locked(cache_dir(), host.name):
            fitted = (None if force else _kept(config, host)) or _fit(config, host)
    return head.HeadRouter(host, fitted, config["router.threshold"])


def _kept(config: Config, host: Host) -> head.Head | None:
    key = head.key_for(host, config["router.examples"], config["router.seed"])
    path = head.path_for(cache_dir(), host)
    try:
        return head.Head.load(path, key)
    except head.DamagedHead:
        note(f"{path} is damaged: the router is fitted again")
        return None


def _fit(config: Config, host: Host) -> head.Head:
    note("fitting the router on generated questions (once)")
    progress = Progress("questions read")
    fitted, report = head.build(
        host, cache_dir(), config["router.examples"], config["router.seed"], progress
    )
    progress.close()
    note(
        f"router: {report.examples} questions from {report.phrasings} phrasings; "
        f"{report.held_out:.0%} right on {report.held_out_total} questions "
        "whose phrasings were held out"
    )
    return fitted
