"""Times whole commands, as a person at a prompt waits for them: everything in the cache."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import codegen
from assistant import config
from assistant.config import cache_dir
from assistant.hosts import store
from assistant.measure.figures import spread

_KERNEL: Final = str(Path(codegen.__file__).with_name("kernels") / "factorial.cu")
_RUN: Final = ("run", _KERNEL, "--set", "n=20", "--out", "out=1", "--out", "status=1")
_ASK: Final = ("ask", "What is 12 times 34?")


def commands(rounds: int) -> dict[str, dict[str, float]]:
    """Seconds from start to end of `run` of a CUDA file, and of `ask` where the host is built.
    They take turns; the first of each, which may still fill a cache, does not count."""
    timed = {"run": _RUN}
    if store.load(cache_dir(), config.load().host()[0]) is not None:
        timed["ask"] = _ASK
    # Python keeps the code that it compiles unless a setting of the shell forbids it.
    shell = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(rounds + 1):
        for name, arguments in timed.items():
            started = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "assistant", *arguments],
                capture_output=True, check=True, env=shell,
            )  # fmt: skip
            seconds[name].append(time.perf_counter() - started)
    return {name: spread(each[1:]) for name, each in seconds.items()}
