"""Host and machine as one model folder, which `VGPUForCausalLM.from_pretrained` loads.

The host's files stay as they are, under its own tensor names. Beside them lie the machine's sparse
weights, and a config.json that describes both; the host's own is kept as host_config.json.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from assistant.console import note
from assistant.hosts import checkpoint, store
from vgpu.geometry import DEFAULT
from vgpu.network import network_for
from vgpu.store import machine_settings, network_key, save_network


def key() -> str:
    """Of the machine that this version of the package compiles."""
    return network_key(DEFAULT)


def current(stored: store.Stored | None) -> bool:
    """Whether the folder holds this very machine."""
    return stored is not None and stored.machine == key()


def join(draft: Path) -> str:
    """Puts the machine into the folder of a host that is being made. Returns the machine's key."""
    own = draft / store.HOST_SETTINGS
    if not own.exists():
        os.replace(draft / "config.json", own)
    network = network_for(DEFAULT)
    save_network(network, draft / store.MACHINE)
    host = checkpoint.read_json(own)
    settings = {
        "model_type": "vgpu",
        "architectures": ["VGPUForCausalLM"],
        "host_weights": "own",
        "machine_weights": "sparse",
        "host_config": host,
        **machine_settings(network, DEFAULT),
    }
    dtype = host.get("dtype", host.get("torch_dtype"))
    if dtype:
        settings["dtype"] = dtype
    text = json.dumps(settings, indent=1) + "\n"
    (draft / "config.json").write_text(text, encoding="utf-8")
    return key()


def join_again(cache: Path, old: store.Stored) -> store.Stored | None:
    """The same host with the machine of today; its own files get a second name, no byte is copied.

    None when the host's settings are not what was written: it has to be had again. Other damage
    is found, as ever, when the files are verified. The caller holds the lock.
    """
    name = store.HOST_SETTINGS if store.HOST_SETTINGS in old.files else "config.json"
    settings = old.root / name
    if name not in old.files or not settings.is_file():
        return None
    if store.sha256(settings) != old.files[name].sha256:
        return None
    note(f"{old.name}: joining host and machine")
    kept = old.host_files
    kept[store.HOST_SETTINGS] = kept.pop(name)
    with store.writing(cache, old.name) as draft:
        for file in kept:
            source = settings if file == store.HOST_SETTINGS else old.root / file
            if os.path.lexists(source):
                store.link(source, draft / file)
        machine = join(draft)
        store.write_manifest(
            draft, old.name, old.source, ask=old.ask, machine=machine, kept=kept,
            verdict=old.verdict,
        )  # fmt: skip
    return store.load(cache, old.name)
