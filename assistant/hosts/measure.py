"""Memory, start-up and speed of a host: `python -m assistant.hosts.measure HOST ...`.

    python -m assistant.hosts.measure smollm2-135m-instruct gemma-3-270m
    python -m assistant.hosts.measure --stand-in        # Qwen3.5-2B's shape, random weights

Each host is loaded in a process of its own; then the machine joins it and runs a dot product.
`--stand-in` writes 4.4 GB beside the cache and removes them. Prints a row a host, or `--json`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant import config
from assistant.hosts import fetch
from assistant.hosts.model import Host, host_of, open_host
from assistant.measure.peak import peak_mb

_PREFILL = 256
_DECODE = 32
_ROUNDS = 3
_COLUMNS = (
    "start_s", "start_cpu_s", "load_s", "resident_mb", "private_mb", "peak_mb", "prefill_per_s",
    "prefill_per_cpu_s", "decode_per_s", "decode_per_cpu_s", "dot_s", "dot_passes",
)  # fmt: skip


def measure(host: Host, started: float) -> dict[str, float]:
    """Loads the host and runs text through it. Times are seconds since `started`; memory MB."""
    import psutil
    import torch

    opened = time.perf_counter()
    model, _ = host.load()
    loaded = time.perf_counter()
    host.read(["what is 12 plus 3?"])
    ready, start_cpu = time.perf_counter(), time.process_time()
    vocabulary = model.get_input_embeddings().num_embeddings
    tokens = torch.randint(0, min(vocabulary, 30_000), (1, _PREFILL), device=model.device)

    def prefill() -> None:
        model(input_ids=tokens, use_cache=True, logits_to_keep=1, machine_on_text=False)

    def decode() -> None:
        model.generate(
            tokens[:, :8],
            min_new_tokens=_DECODE,
            max_new_tokens=_DECODE,
            do_sample=False,
            machine_on_text=False,
        )

    with torch.inference_mode():
        prefill_s, prefill_cpu_s = _least(prefill)
        decode_s, decode_cpu_s = _least(decode)
    program = _dot_product(model)
    memory = psutil.Process().memory_full_info()
    return {
        "start_s": ready - started,
        "start_cpu_s": start_cpu,
        "load_s": loaded - opened,
        "resident_mb": memory.rss / 1e6,
        # What the process alone holds; the rest are pages of the checkpoint and of libraries.
        "private_mb": (memory.rss - getattr(memory, "shared", 0)) / 1e6,
        "peak_mb": peak_mb() * (1 << 20) / 1e6,
        "prefill_per_s": _PREFILL / prefill_s,
        "prefill_per_cpu_s": _PREFILL / prefill_cpu_s,
        "decode_per_s": _DECODE / decode_s,
        "decode_per_cpu_s": _DECODE / decode_cpu_s,
        **program,
    }


def _least(work: Callable[[], None]) -> tuple[float, float]:
    """The least seconds of `_ROUNDS`, by the clock and of processor time (where others compute)."""
    clock, processor = [], []
    for _ in range(_ROUNDS):
        begun, used = time.perf_counter(), time.process_time()
        work()
        clock.append(time.perf_counter() - begun)
        processor.append(time.process_time() - used)
    return min(clock), min(processor)


def _dot_product(model: Any) -> dict[str, float]:
    """A dot product by the machine and the host as one model, in its layers (no sparse engine)."""
    import codegen
    import vgpu
    from vgpu.model import CompositeEngine

    machine = vgpu.Machine(CompositeEngine(model))
    kernel = codegen.catalog()["dot"]
    launch = kernel.bind([[1, 2, 3], [4, 5, 6]])
    begun = time.perf_counter()
    run = machine.run(
        kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block
    )
    took = time.perf_counter() - begun
    if 32 not in [value for values in run.outputs.values() for value in values]:
        raise SystemExit(f"the dot product came out as {dict(run.outputs)}")
    return {"dot_s": took, "dot_passes": run.passes}


def _measure_here(name: str, cache: Path | None) -> dict[str, float]:
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    started = time.perf_counter()
    settings = config.load({"host": name})
    if cache is None:
        return measure(open_host(settings), started)
    key, entry = settings.host()
    return measure(host_of(fetch.obtain(cache, key, entry, 1), entry, settings), started)


def _in_a_process(name: str, cache: Path | None) -> dict[str, float]:
    command = [sys.executable, "-m", "assistant.hosts.measure", "--here", name, "--json"]
    if cache is not None:
        command += ["--cache", str(cache)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    record: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return record


def _stand_in() -> dict[str, float]:
    """A checkpoint of Qwen3.5-2B's shape, made here, measured and removed."""
    from assistant.hosts.stand_in import TRUE_SIZE, write_checkpoint

    config.cache_dir().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="stand-in-", dir=config.cache_dir()) as folder:
        model, cache = Path(folder) / "qwen3.5-2b-shape", Path(folder) / "cache"
        write_checkpoint(model, TRUE_SIZE, shard_bytes=2 << 30)
        # The first process hashes the files and checks the host once, as `assistant build` does.
        settings = config.load({"host": str(model)})
        key, entry = settings.host()
        host_of(fetch.obtain(cache, key, entry, 1), entry, settings).check()
        return _in_a_process(str(model), cache)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m assistant.hosts.measure")
    parser.add_argument("hosts", nargs="*", metavar="HOST")
    parser.add_argument("--stand-in", action="store_true", help="Qwen3.5-2B's shape, random")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--here", metavar="HOST", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        print(json.dumps(_measure_here(given.here, given.cache)))
        return
    rows: dict[str, Any] = {name: _in_a_process(name, None) for name in given.hosts}
    if given.stand_in:
        rows["Qwen3.5-2B's shape, random weights"] = _stand_in()
    if given.json:
        print(json.dumps(rows))
        return
    print("| host | " + " | ".join(_COLUMNS) + " |")
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{row[column]:,.1f}" for column in _COLUMNS) + " |")


if __name__ == "__main__":
    main()
