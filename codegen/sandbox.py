"""A child process with limits: time, memory, size of output, a folder of its own, no environment.

clang and LLVM read what strangers write. They run here, so that what they do wrong (a template
that never ends, an array of gigabytes, an abort) ends as one line in the parent.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from codegen.errors import CompileError

SECONDS: Final = 10  # of the processor
PATIENCE: Final = 3  # on a busy machine a child may take so many times as long
MEMORY_BYTES: Final = 3 << 30
OUTPUT_BYTES: Final = 32 << 20
MESSAGE_BYTES: Final = 1 << 20
_running: Final[set[subprocess.Popen[bytes]]] = set()
_folders: Final[set[str]] = set()


class Stopped(CompileError):
    """The child went beyond a limit. `errors` is what it had said by then."""

    def __init__(self, message: str, errors: str) -> None:
        super().__init__(message)
        self.errors = errors


@dataclass(frozen=True)
class Finished:
    """`status` is the exit status, negative for a signal; `out` and `errors` its two streams."""

    status: int
    out: str
    errors: str


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder that is gone afterwards, whatever happens inside."""
    try:
        made = tempfile.mkdtemp(prefix="vgpu-")
    except OSError as error:
        raise CompileError(f"no temporary folder to compile in: {error.strerror}") from error
    _folders.add(made)
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        _folders.discard(made)


@atexit.register
def _put_away() -> None:
    """A thread that the end of the process overtakes leaves neither a child nor a folder."""
    for child in list(_running):
        _end(child)
    for made in list(_folders):
        shutil.rmtree(made, ignore_errors=True)


def run(command: Sequence[str], root: Path, what: str) -> Finished:
    """Runs `command` in the folder `root`. `what` names it in messages.

    Raises CompileError when it cannot be started, Stopped when it goes beyond a limit.
    """
    late = threading.Event()
    with (
        (root / "stdout").open("wb") as out,
        (root / "stderr").open("wb") as err,
        started(
            _limited(command), what, cwd=root, env=_environment(root), close_fds=True,
            stdin=subprocess.DEVNULL, stdout=out, stderr=err,
        ) as child,
    ):  # fmt: skip

        def stop() -> None:
            late.set()
            kill(child)

        # `wait` with a limit looks every 50 ms: a kernel compiles in less.
        limit = threading.Timer(SECONDS * PATIENCE, stop)
        try:
            limit.start()
            status = child.wait()
        finally:
            limit.cancel()
    finished = Finished(status, _text(root / "stdout", OUTPUT_BYTES), _text(root / "stderr"))
    over = f"took over {SECONDS * PATIENCE} s" if late.is_set() else _over_limit(finished, root)
    if over:
        raise Stopped(f"{what} {over} and was stopped", finished.errors)
    return finished


@contextlib.contextmanager
def started(command: Sequence[str], what: str, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A child in a session of its own; it and what it started are ended afterwards, whatever
    happens inside. `options` are those of `subprocess.Popen`, `what` names it in messages.

    What tells this process to end waits until the child is known, or it would be left. (The child
    never sees those signals either. It need not: what ends it is SIGKILL.)
    """
    with contextlib.ExitStack() as waiting:
        waiting.enter_context(held_back("SIGINT", "SIGTERM", "SIGHUP"))
        try:
            child = subprocess.Popen(command, start_new_session=os.name == "posix", **options)
        except OSError as error:
            raise CompileError(f"cannot run {what}: {error.strerror}") from error
        _running.add(child)
        try:
            waiting.close()
            yield child
        finally:
            _end(child)
            _running.discard(child)


@contextlib.contextmanager
def held_back(*signals: str) -> Iterator[None]:
    """This thread takes none of those signals meanwhile, and what it starts never does."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    numbers = {getattr(signal, name) for name in signals}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _limited(command: Sequence[str]) -> Sequence[str]:
    """`command` behind a shell that sets the limits, as code between fork and exec is not safe in
    a program with threads. A limit that a system lacks is left out. ulimit counts memory in KiB,
    files in blocks of 512 bytes (dash) or 1,024 (bash): twice the limit at most."""
    if os.name != "posix":
        return command
    limits = (
        f"ulimit -c 0; ulimit -t {SECONDS}; ulimit -f {OUTPUT_BYTES // 512}; "
        f'ulimit -v {MEMORY_BYTES // 1024} 2>/dev/null; exec "$@"'
    )
    return ("/bin/sh", "-c", limits, "sh", *command)


def _environment(root: Path) -> dict[str, str]:
    """Nothing of the user's but what a system needs to start a program."""
    kept = {k: v for k, v in os.environ.items() if k in ("SYSTEMROOT", "LD_LIBRARY_PATH")}
    home = dict.fromkeys(("HOME", "TMPDIR", "TMP", "TEMP", "ZIG_GLOBAL_CACHE_DIR"), str(root))
    return kept | home | {"PATH": os.defpath, "LC_ALL": "C"}


def _end(child: subprocess.Popen[bytes]) -> int:
    """Ends the child and what it started. Returns its exit status."""
    kill(child)
    return child.wait()


def kill(child: subprocess.Popen[Any]) -> None:
    """Ends a child that was started in a session of its own, and what it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        child.kill()


def _text(path: Path, most: int = MESSAGE_BYTES) -> str:
    with path.open("rb") as file:
        return file.read(most).decode("utf-8", errors="replace")


def _over_limit(finished: Finished, root: Path) -> str | None:
    """Which limit ended the child, if one did. A shell reports a signal n as 128 + n."""
    if os.name != "posix":
        return None
    number = -finished.status if finished.status < 0 else finished.status - 128
    told = finished.errors
    if number in (signal.SIGXCPU, signal.SIGKILL) or "(CPU limit)" in told:
        return f"took over {SECONDS} s"
    sizes = [p.stat().st_size for p in root.iterdir() if p.is_file()]
    if number == signal.SIGXFSZ or max(sizes, default=0) >= OUTPUT_BYTES:
        return f"wrote over {OUTPUT_BYTES >> 20} MB"
    if finished.status and any(sign in told for sign in _NO_MEMORY):
        return f"needed over {MEMORY_BYTES >> 30} GB of memory"
    return None


_NO_MEMORY: Final = (
    "out of memory", "bad_alloc", "Buffer allocation failed", "Cannot allocate memory",
    "bad alloc", "MemoryError", "OutOfMemory",
)  # fmt: skip
