"""Kernels written by a read-out on the host's hidden states, trained on lessons.

For hosts too small to write CUDA from examples. The host reads the task; a small network with an
adapter on the host's layers, there only while it writes, puts the kernel down symbol by symbol
within a grammar. (`assistant.reading`, `python -m assistant.advanced.train`)
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.advanced.heard import Heard, heard
from assistant.advanced.lessons import rows
from assistant.advanced.write import Draft, Order
from vgpu.errors import Cancelled, RunError

if TYPE_CHECKING:
    from assistant.reading.kept import Fit
    from assistant.reading.reader import Encoded

WEIGHTS = Path(__file__).parent / "weights"


def shipped(host: Any) -> Path | None:
    """The writer that comes with the package for this host, if there is one."""
    path = WEIGHTS / f"{host.name}.safetensors"
    return path if path.is_file() else None


class LearnedWriter:
    """Writes the likeliest kernel first, and then, with part of the network left out at random,
    what it would write if it had learned a little less. [Gal and Ghahramani 2016]"""

    def __init__(self, host: Any, path: Path) -> None:
        self._host, self._path = host, path
        self.label: str = host.label

    def load(self) -> Any:
        return self._fit

    @cached_property
    def _fit(self) -> Fit:
        from assistant.reading import kept

        layers = self._host.layers
        try:
            return kept.load(self._path, layers)
        except kept.Damaged:
            raise RunError(f"{self._path} is damaged: install the package again") from None

    def write(self, order: Order, cancelled: threading.Event) -> Draft:
        """Raises Cancelled, and RunError when the host fails."""
        task = heard(order.task)
        row, probability = self.row(task, order.seed if order.number > 1 else None, cancelled)
        said = self._fit.calibration(probability)
        return rows.draft_of(row, order.task, task.names, said)

    def row(
        self, task: Heard, seed: int | None, cancelled: threading.Event | None = None
    ) -> tuple[list[str], float]:
        """The row, and what the whole network gives it. `seed` says what is left out of the network
        while the row is written; None leaves nothing out."""
        import torch

        fit = self._fit
        with torch.inference_mode(), torch.random.fork_rng(devices=[]):
            one = self._read(fit, task)
            fit.reader.train(seed is not None)
            torch.manual_seed(seed or 0)
            try:
                row = self._row(fit, one, task, cancelled or threading.Event())
            finally:
                fit.reader.eval()
            return row, self._probability(fit, one, row)

    def _read(self, fit: Fit, task: Heard) -> Encoded:
        from assistant.reading.reader import encoded

        ((states, offsets),) = self._host.read([task.text], fit.adapter, fit.layers)
        return encoded([task], states[None], [offsets], fit.reader.sizes.kinds)

    def _probability(self, fit: Fit, one: Encoded, row: Sequence[str]) -> float:
        """What the whole network gives a row."""
        import torch

        from assistant.reading.reader import START

        numbers = [fit.reader.number(symbol) for symbol in row]
        given = torch.tensor([[fit.reader.index[START], *numbers[:-1]]])
        scores = fit.reader(given, *fit.reader.read(one)).softmax(-1)[0]
        return float(scores[range(len(numbers)), numbers].prod())

    def _row(self, fit: Fit, one: Encoded, task: Heard, cancelled: threading.Event) -> list[str]:
        grammar, read = rows.Grammar(list(task.names)), fit.reader.read(one)
        state, row = grammar.begin(), list[str]()
        while len(row) < rows.MOST_SYMBOLS and (not row or row[-1] != rows.END):
            if cancelled.is_set():
                raise Cancelled("stopped")
            (scores,) = fit.reader.following([row], read)
            for at in scores.argsort(descending=True).tolist():
                symbol = fit.reader.vocabulary[at] if at < len(fit.reader.vocabulary) else ""
                after = grammar.feed(state, row, symbol) if symbol in rows.VOCABULARY else None
                if after is not None:
                    state = after
                    row.append(symbol)
                    break
            else:
                break
        return row
