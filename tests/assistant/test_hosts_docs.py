"""docs/hosts.md names every field of an entry and every host; memory is compared before loading."""

from pathlib import Path

import pytest

from assistant import config
from assistant.hosts import memory
from vgpu.errors import RunError

DOCS = (Path(__file__).parents[2] / "docs" / "hosts.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", sorted(config.HOST_KEYS))
def test_every_field_is_documented(key):
    assert f"`{key}`" in DOCS


def test_every_host_is_documented():
    for name in config.load().hosts:
        assert f"`{name}`" in DOCS


def test_memory_that_is_there_and_memory_that_is_not():
    free = memory.available()
    assert free > 0
    memory.check("a thing", 1)
    with pytest.raises(
        RunError, match=r"a thing needs [\d.]+ GB of memory and [\d.]+ [GM]B are free"
    ):
        memory.check("a thing", 10 * free + (1 << 40))


def test_the_limit_of_a_container_counts(tmp_path, monkeypatch):
    limit, used = tmp_path / "memory.max", tmp_path / "memory.current"
    limit.write_text("3000000\n")
    used.write_text("2500000\n")
    (tmp_path / "memory.stat").write_text("anon 5\ninactive_file 100000\nactive_file 20000\n")
    monkeypatch.setattr(memory, "_CGROUPS", ((str(limit), str(used)),))
    assert memory.available() == 620_000
    limit.write_text("max\n")
    assert memory.available() > 620_000
