"""Times whole commands, as a person at a prompt waits for them: everything in the cache."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import codegen
from assistant import config
from assistant.config import cache_dir
from assistant.hosts import store
from assistant.measure.figures import spread
from vgpu.errors import RunError

_ASSISTANT: Final = (sys.executable, "-m", "assistant")
_KERNEL: Final = str(Path(codegen.__file__).with_name("kernels") / "factorial.cu")
_RUN: Final = ("run", _KERNEL, "--set", "n=20", "--out", "out=1", "--out", "status=1")
_ASK: Final = ("ask", "What is 12 times 34?")


def commands(rounds: int) -> dict[str, dict[str, float]]:
    """Seconds from start to end of `run` of a CUDA file, and of `ask` where the host is built; and
    from start to first paint of the app. They take turns; the first of each, which may still fill
    a cache, does not count."""
    timed = {"run": partial(_whole, _RUN)}
    if store.load(cache_dir(), config.load().host()[0]) is not None:
        timed["ask"] = partial(_whole, _ASK)
    if importlib.util.find_spec("termios"):
        timed["app"] = _first_paint
    # Python keeps the code that it compiles unless a setting of the shell forbids it.
    shell = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(rounds + 1):
        for name, measure in timed.items():
            seconds[name].append(measure(shell))
    return {name: spread(each[1:]) for name, each in seconds.items()}


def _whole(arguments: Sequence[str], shell: Mapping[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run([*_ASSISTANT, *arguments], capture_output=True, check=True, env=shell)
    return time.perf_counter() - started


def _first_paint(shell: Mapping[str, str]) -> float:
    """Until the input's own words have come to a terminal of 120 columns and 40 lines."""
    import pty
    import termios

    from assistant.app.prompt import PLACEHOLDER

    words = PLACEHOLDER[1:].encode()  # the cursor is on the first letter
    master, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (40, 120))
    painted = b""
    with tempfile.TemporaryDirectory(prefix="vgpu-") as kept:
        own = {"XDG_DATA_HOME": kept, "TERM": "xterm-256color"}
        started = time.perf_counter()
        app = subprocess.Popen(
            _ASSISTANT, stdin=terminal, stdout=terminal, stderr=terminal,
            env={**shell, **own}, start_new_session=True,
        )  # fmt: skip
        os.close(terminal)
        try:
            while words not in painted:
                painted += os.read(master, 1 << 16)
            return time.perf_counter() - started
        except OSError:
            raise RunError("the app ended before it had painted") from None
        finally:
            app.kill()
            app.wait()
            os.close(master)
