"""Which router a host gets, and where its read-out comes from."""

import pytest

from assistant import config
from assistant.reading import kept
from assistant.router import opening, reference


class Host:
    def __init__(self, name, parameters):
        self.name, self.parameters = name, parameters


@pytest.mark.parametrize(
    ("setting", "parameters", "kind"),
    [
        ("auto", 134_000_000, "readout"),
        ("auto", 1_900_000_000, "generate"),
        ("readout", 1_900_000_000, "readout"),
        ("generate", 134_000_000, "generate"),
    ],
)
def test_large_hosts_write_their_calls_themselves(setting, parameters, kind):
    settings = config.load({"router.kind": setting})
    assert opening.kind_of(settings, Host("any", parameters)) == kind


def test_the_default_host_has_a_shipped_read_out():
    name = config.load()["host"]
    path = opening.shipped(Host(name, 0))
    assert path is not None
    said = kept.about(path)
    assert said["report"]["held_out"] > 1000
    assert opening.shipped(Host("another", 0)) is None


def test_a_damaged_read_out_is_noticed(tmp_path):
    whole = opening.shipped(Host(config.load()["host"], 0)).read_bytes()
    for at in (3, len(whole) // 2, len(whole) - 5):
        path = tmp_path / "readout.safetensors"
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :])
        with pytest.raises(kept.Damaged):
            kept.load(path, None)


def test_the_page_on_routing_is_current():
    assert reference.PATH.read_text(encoding="utf-8") == reference.page()
