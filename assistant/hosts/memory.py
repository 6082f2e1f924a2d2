"""Memory that a host needs and memory that there is, compared before anything is loaded."""

from __future__ import annotations

from pathlib import Path

from vgpu.errors import RunError

ITEM_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
# Python, PyTorch, transformers and the machine, resident; activations of a short chat.
OVERHEAD = 700 << 20
_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def in_words(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def available(device: str = "cpu") -> int:
    """Bytes that can be had on the device now; on a CPU also within the container's limit."""
    if device == "cuda":
        import torch

        return int(torch.cuda.mem_get_info()[0])
    import psutil

    free = int(psutil.virtual_memory().available)
    for limit_file, used_file in _CGROUPS:
        try:
            limit, used = (int(Path(file).read_text()) for file in (limit_file, used_file))
        except (OSError, ValueError):
            continue
        # Cached pages of files count as used, but the kernel drops them when it must.
        free = min(free, max(limit - used, 0) + _droppable(limit_file))
    return free


def _droppable(limit_file: str) -> int:
    """Bytes of cached file pages in the container."""
    try:
        lines = Path(limit_file).with_name("memory.stat").read_text().splitlines()
        stat = dict(line.split() for line in lines)
        return int(stat.get("inactive_file", 0)) + int(stat.get("active_file", 0))
    except (OSError, ValueError):
        return 0


def check(what: str, needed: int, device: str = "cpu", mend: str = "") -> None:
    """Raises `RunError` when `needed` bytes cannot be had."""
    free = available(device)
    if needed > free:
        place = "" if device == "cpu" else f" on {device}"
        mend = mend or "close other programs, or choose a smaller host"
        raise RunError(
            f"{what} needs {in_words(needed)} of memory{place} and {in_words(free)} are free: "
            f"{mend}"
        )
