"""Told to end, or its terminal closed, the app leaves nothing behind; what kill -9 leaves goes with
the next start."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from assistant.app.run_folder import RunFolder

APP = Path(__file__).with_name("fake_app.py")
SANDBOXED = """
import os, sys, threading, time
from codegen import sandbox

def compile():
    with sandbox.folder() as root:
        sandbox.run([sys.executable, "-c", "import time; time.sleep(600)"], root, "a sleeper")

threading.Thread(target=compile, daemon=True).start()
while not sandbox._running:
    time.sleep(0.01)
print(next(iter(sandbox._running)).pid, flush=True)
"""

pty = pytest.importorskip("pty", reason="a system without pseudo-terminals")


def in_a_terminal(folder: Path, seen: str) -> tuple[int, int]:
    """The app in a pseudo-terminal, once `seen` was drawn: its process and the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm-256color", "TMPDIR": str(folder), "PYTHONPATH": os.getcwd()}
        os.execv(sys.executable, [sys.executable, str(APP), str(folder / "kept")])
    drawn = b""
    while seen.encode() not in drawn:
        assert select.select([terminal], [], [], 60)[0], drawn[-500:]
        drawn += os.read(terminal, 65536)
    return pid, terminal


def status_of(pid: int, terminal: int | None) -> int:
    """The exit status; what is still written is read meanwhile, as a terminal does."""
    while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
        if terminal is not None and select.select([terminal], [], [], 0.05)[0]:
            try:
                os.read(terminal, 65536)
            except OSError:
                terminal = None
    return os.waitstatus_to_exitcode(ended[1])


@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "closed"])
def test_the_app_puts_its_things_away(tmp_path, how):
    (tmp_path / "kept").mkdir()
    pid, terminal = in_a_terminal(tmp_path, "Fake host")
    assert list(tmp_path.glob("vgpu-runs-*"))
    if how == "closed":
        os.close(terminal)
        assert status_of(pid, None) == 128 + signal.SIGHUP
    else:
        os.kill(pid, getattr(signal, how))
        assert status_of(pid, terminal) == 128 + getattr(signal, how)
        os.close(terminal)
    assert not list(tmp_path.glob("vgpu-*"))


@pytest.mark.parametrize("wait", [0.0, 0.03, 0.08, 0.15])
@pytest.mark.parametrize("how", ["closed", "ctrl+q"])
def test_the_app_may_be_left_as_soon_as_it_begins(tmp_path, wait, how):
    """Nobody reads its terminal any more, or it is told to leave before its panes are there."""
    (tmp_path / "kept").mkdir()
    pid, terminal = in_a_terminal(tmp_path, "\x1b[?1049h")
    time.sleep(wait)
    if how == "closed":
        os.close(terminal)
        assert status_of(pid, None) == 128 + signal.SIGHUP
    else:
        os.write(terminal, b"\x11")
        assert status_of(pid, terminal) == 0
        os.close(terminal)
    assert not list(tmp_path.glob("vgpu-*")) and not list(tmp_path.glob("assistant-crash-*"))


def test_a_command_ends_in_order(tmp_path):
    kernel = tmp_path / "loop.cu"
    kernel.write_text("__global__ void loop(int *o) { for (;;) atomicAdd(o, 1); }")
    process = subprocess.Popen(
        [sys.executable, "-m", "assistant", "run", str(kernel), "--out", "o=1",
         "--max-passes", "100000000"],
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.getcwd()},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(1.5)  # wherever it is by then
    process.send_signal(signal.SIGTERM)
    told = process.communicate()
    assert process.returncode == 128 + signal.SIGTERM, told
    assert "Traceback" not in told[1]
    assert not list(tmp_path.glob("vgpu-*"))


def test_the_end_of_a_process_ends_its_compilers(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SANDBOXED], env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
    assert not list(tmp_path.iterdir())


def test_the_folders_of_apps_that_are_gone_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    long_ago = time.time() - 3600
    gone, running, young = (tmp_path / f"vgpu-runs-{name}" for name in ("gone", "runs", "young"))
    other = tmp_path / "vgpu-else"
    (elsewhere := tmp_path / "elsewhere").mkdir()
    link = tmp_path / "vgpu-runs-link"
    link.symlink_to(elsewhere)
    os.utime(link, (long_ago, long_ago), follow_symlinks=False)
    for folder in (gone, running, young, other):
        folder.mkdir()
        (folder / "1.jsonl").write_text("{}")
    with FileLock(running / ".lock"):
        for folder in (gone, running, other):
            os.utime(folder, (long_ago, long_ago))
        mine = RunFolder()
        mine.hold()
        second = RunFolder()
        second.hold()
        stay = {running, young, other, elsewhere, link, mine.path, second.path}
        assert set(tmp_path.iterdir()) == stay and not list(elsewhere.iterdir())
        assert (running / "1.jsonl").exists()
    mine.remove()
    second.remove()
    assert not mine.path.exists()
