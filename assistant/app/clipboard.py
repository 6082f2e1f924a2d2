"""Copying inside tmux: by default it keeps OSC 52 from the terminal, but not its own buffer."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess


def copy_into_tmux(text: str) -> None:
    """Gives `text` to the tmux around us, if there is one, which hands it to the terminal."""
    if "TMUX" not in os.environ or shutil.which("tmux") is None:
        return
    with contextlib.suppress(OSError):
        process = subprocess.Popen(
            ["tmux", "load-buffer", "-w", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin is not None
        with process.stdin as pipe:
            pipe.write(text.encode("utf-8", "replace"))
        # Waited for beside the app: the buffer may be large.
        import threading

        threading.Thread(target=process.wait, daemon=True).start()
