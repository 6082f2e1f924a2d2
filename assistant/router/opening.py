"""The router that the settings ask for, with its head fitted when the cache has none."""

from __future__ import annotations

from assistant.config import Config, cache_dir
from assistant.console import Progress, note
from assistant.hosts import Host
from assistant.router import head
from assistant.router.routed import Router


def open_router(config: Config, host: Host, *, force: bool = False) -> Router:
    """Loads the head for this host and these phrasings, or fits it now (a minute or less)."""
    per_pattern, seed = config["router.examples"], config["router.seed"]
    key = head.key_for(host, per_pattern, seed)
    path = head.path_for(cache_dir(), host)
    try:
        fitted = None if force else head.Head.load(path, key)
    except head.DamagedHead:
        note(f"{path} is damaged: the router is fitted again")
        fitted = None
    if fitted is None:
        note("fitting the router on generated questions (once)")
        progress = Progress("questions read")
        fitted, report = head.build(host, cache_dir(), per_pattern, seed, progress)
        progress.close()
        note(
            f"router: {report.examples} questions from {report.phrasings} phrasings; "
            f"{report.held_out:.0%} right on {report.held_out_total} questions "
            "whose phrasings were held out"
        )
    return head.HeadRouter(host, fitted, config["router.threshold"])
