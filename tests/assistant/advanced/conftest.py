"""One machine, a mode with a writer of fixed texts, and a data folder of the test's own."""

from __future__ import annotations

import pytest

import vgpu
from assistant import config
from assistant.advanced.mode import AdvancedMode
from assistant.advanced.task import of_record
from tests.assistant.scripted import Scripted

COUNT = {
    "task": "Count the numbers above 20 in this list: 14, 31, 8, 27, 40",
    "signature": "__global__ void above(const int* a, int n, int* out)",
    "output": "out[0]",
    "inputs": {"a": [14, 31, 8, 27, 40], "n": 5},
}


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


@pytest.fixture
def own_data(tmp_path):
    """The data folder that every test has of its own."""
    return tmp_path / "data"
