"""The app in a real terminal (tmux): typing, answers, stopping, `kill -9` and going on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

APP = Path(__file__).with_name("fake_app.py")

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """A tmux server of its own with one window of 100×30."""

    def __init__(self, folder: Path):
        self.socket, self.folder = folder / "tmux", folder

    def tmux(self, *words: str) -> str:
        return subprocess.run(
            ["tmux", "-f", "/dev/null", "-S", self.socket, *words],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip

    def start(self, *more: str) -> None:
        command = f"{sys.executable} {APP} {self.folder} {' '.join(more)}"
        environment = ["-e", "TERM=tmux-256color", "-e", f"PYTHONPATH={Path.cwd()}"]
        self.tmux("new-session", "-d", "-x", "100", "-y", "30", *environment, command)

    def text(self) -> str:
        return self.tmux("capture-pane", "-p")

    def wait(self, words: str, seconds: float = 60) -> str:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            text = self.text()
            if words in text:
                return text
            time.sleep(0.1)
        raise AssertionError(f"{words!r} is not in\n{text}")

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def kill(self) -> None:
        """kill -9 of the app."""
        pid = int(self.tmux("display-message", "-p", "#{pane_pid}"))
        os.kill(pid, signal.SIGKILL)
        while os.path.exists(f"/proc/{pid}"):
            time.sleep(0.05)


@pytest.fixture
def terminal(tmp_path):
    terminal = Terminal(tmp_path)
    yield terminal
    subprocess.run(["tmux", "-S", terminal.socket, "kill-server"], capture_output=True)


def test_a_session_in_a_terminal(terminal):
    terminal.start()
    terminal.wait("Fake host · basic · ready")
    terminal.type("What is the dot product of [1, 2, 3] and [4, 5, 6]?")
    terminal.press("Enter")
    assert "43 passes" in terminal.wait("◆ 32")
    terminal.type("long run")
    terminal.press("Enter")
    terminal.wait("^C stops")
    terminal.press("C-c")
    terminal.wait("stopped")
    large = terminal.folder / "large.txt"
    large.write_text("\n".join(f"line {n} 日本" for n in range(5000)))
    terminal.tmux("load-buffer", "-b", "paste", str(large))
    terminal.tmux("paste-buffer", "-p", "-b", "paste")
    terminal.wait("[pasted 5,000 lines]")
    terminal.press("C-c")
    terminal.type("slow these words arrived and those did not")
    terminal.press("Enter")
    terminal.wait("  these")
    terminal.kill()
    subprocess.run(["tmux", "-S", terminal.socket, "kill-server"], capture_output=True)
    terminal.start("--continue")
    text = terminal.wait("the program ended before the answer did")
    assert "◆ 32" in text and "these" in text
    terminal.wait("ready")
    terminal.type("say it goes on")
    terminal.press("Enter")
    terminal.wait("it goes on\n")
    terminal.press("C-q")
    until = time.monotonic() + 60
    while subprocess.run(
        ["tmux", "-S", terminal.socket, "has-session"], capture_output=True
    ).returncode == 0:  # fmt: skip
        assert time.monotonic() < until
        time.sleep(0.1)
