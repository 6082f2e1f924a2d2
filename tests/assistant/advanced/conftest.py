"""A writer of fixed texts, one machine, and a data folder of the test's own."""

from __future__ import annotations

import pytest

import vgpu
from assistant import config
from assistant.advanced import write
from assistant.advanced.mode import AdvancedMode
from assistant.advanced.task import of_record

COUNT = {
    "task": "Count the numbers above 20 in this list: 14, 31, 8, 27, 40",
    "signature": "__global__ void above(const int* a, int n, int* out)",
    "output": "out[0]",
    "inputs": {"a": [14, 31, 8, 27, 40], "n": 5},
}
PARALLEL = """// gives out[0]; order free
__global__ void above(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] > 20) atomicAdd(out, 1);
    }
}
"""
SERIAL = """// gives out[0]; order free
__global__ void above(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] > 20) count++;
        }
        out[0] = count;
    }
}
"""


class Scripted:
    """Writes the given texts, one after the other, the last for ever; keeps what it was asked."""

    label = "Scripted"

    def __init__(self, *texts):
        self.texts, self.orders = list(texts), []

    def load(self):
        return None

    def write(self, order, cancelled):
        self.orders.append(order)
        text = self.texts[min(len(self.orders), len(self.texts)) - 1]
        return write.read(text, order.task, 0.5)


@pytest.fixture(scope="session")
def machine():
    """The interpreter: what is tested here is what happens around a run."""
    return vgpu.Machine(engine="interpreter")


@pytest.fixture
def task():
    return of_record(COUNT)


@pytest.fixture
def mode_of(machine):
    def make(*texts, **settings):
        options = {f"advanced.{name}": value for name, value in settings.items()}
        settings = config.load({"engine": "interpreter", "advanced.max_passes": 3000} | options)
        return AdvancedMode(settings, writer=Scripted(*texts), machine=machine)

    return make


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    monkeypatch.setattr("assistant.advanced.saved.data_dir", lambda: tmp_path / "data")
    return tmp_path / "data"
