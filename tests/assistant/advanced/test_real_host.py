"""The default host itself, for a few tokens. Skipped when it cannot be had."""

import threading

from assistant.advanced.retrieve import examples
from assistant.advanced.task import read_task
from assistant.advanced.write import HostWriter, Order


def test_a_seed_gives_the_same_text(real_host):
    task = read_task("how many of [3, 1, 4, 1, 5] are odd?")
    order = Order(task, examples().nearest(task)[:1], temperature=0.7, seed=5)
    writer = HostWriter(real_host, 40)
    one, other = (writer.write(order, threading.Event()) for _ in range(2))
    assert one == other
    assert one.source.startswith(f"{task.signature} {{\n    ")
    assert not one.whole or one.source.endswith("\n}\n")
