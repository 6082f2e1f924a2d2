"""`assistant verify --text`: is the composite's text, bit for bit, the host's own?

    python -m evals.bit_identity                      # small random hosts, each in fp32 and bf16
    python -m evals.bit_identity --host gemma --dtype bf16 --every 8

does the same for hosts of `evals.random_hosts`, which are built, loaded and removed. Minutes each.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant import config
from assistant.config import Config
from assistant.console import Progress
from evals import random_hosts
from evals.texts import LONG_TOKENS, texts
from vgpu.model.compare import TextReport, compare_texts


def run(settings: Config, progress: Callable[[int, int], None] | None = None) -> TextReport:
    """Compares the configured host with the model of host and machine, on every text."""
    from assistant.hosts import open_host

    return compare(open_host(settings), progress)


def run_random(
    name: str, dtype: str, every: int = 1, progress: Callable[[int, int], None] | None = None
) -> TextReport:
    """The same for a small host with random weights (`random_hosts.NAMES`, `DTYPES`), on every
    `every`th text, through a cache of its own: its folder is made, joined, checked and loaded as
    any host's is."""
    from assistant.hosts import fetch, host_of
    from assistant.hosts.quiet import quiet

    kind = random_hosts.DTYPES[dtype]
    with tempfile.TemporaryDirectory(prefix="vgpu-host-") as place, quiet():
        folder = Path(place) / name
        random_hosts.write_host(name, kind, folder)
        settings = config.load({"host": str(folder)})
        key, entry = settings.host()
        entry = {**entry, "dtype": kind}
        stored = fetch.obtain(Path(place) / "cache", key, entry, 1)
        return compare(host_of(stored, entry, settings), progress, every)


def compare(
    host: Any, progress: Callable[[int, int], None] | None = None, every: int = 1
) -> TextReport:
    """A host of the cache alone, and with the machine, whose layers are watched too: nothing but
    zero may be left in the machine's channels."""
    model, tokenizer = host.load()
    model.config.check_exact = True
    chosen = encoded(model, tokenizer)[every - 1 :: every]
    return compare_texts(model.host, model, chosen, pad=_pad(tokenizer), progress=progress)


def encoded(model: Any, tokenizer: Any) -> list[list[int]]:
    """The texts as tokens, none longer than the host can read."""
    most = getattr(model.config.get_text_config(), "max_position_embeddings", LONG_TOKENS)
    return [tokenizer(text)["input_ids"][: min(most, LONG_TOKENS)] for text in texts()]


def _pad(tokenizer: Any) -> int:
    for token in (tokenizer.pad_token_id, tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    return 0


def main() -> int:
    """Prints a line a host, or a JSON object with `--json`. 1 when a text differs."""
    parser = argparse.ArgumentParser(prog="python -m evals.bit_identity")
    names, types = random_hosts.NAMES, tuple(random_hosts.DTYPES)
    parser.add_argument("--host", action="append", choices=names, help="(all)")
    parser.add_argument("--dtype", action="append", choices=types, help="(both)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth text (1)")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.every < 1:
        parser.error(f"--every {given.every}: expected at least 1")
    rows: dict[str, Any] = {}
    for name in given.host or names:
        for dtype in given.dtype or types:
            progress, began = Progress(f"{name} {dtype}, texts"), time.process_time()
            try:
                report = run_random(name, dtype, given.every, progress)
            finally:
                progress.close()
            took = time.process_time() - began
            rows[f"{name} {dtype}"] = {
                "equal": report.equal, "texts": report.texts, "names": report.names,
                "cpu_s": round(took, 1),
            }  # fmt: skip
            if not given.json:
                told = f"{report.equal} of {report.texts} texts have the host's logits"
                print(
                    f"{name} {dtype}: {told}, bit for bit ({took:.0f} s of processor)", flush=True
                )
                for text in report.names:
                    print(f"  differs: {text}")
    if given.json:
        print(json.dumps(rows))
    return int(any(row["names"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
