"""The compiled network of a geometry, from the cache or made anew."""

from __future__ import annotations

import contextlib
import logging
from functools import lru_cache

from vgpu.circuit.emit import Network
from vgpu.geometry import DEFAULT, Geometry
from vgpu.store import cache_folder, load_network, network_key, save_network

log = logging.getLogger(__name__)


def compile_network(geometry: Geometry = DEFAULT) -> Network:
    """Compile the machine. Raises CircuitError when the geometry does not fit its hidden size."""
    from vgpu.blocks import build
    from vgpu.circuit.emit import emit

    return emit(build(geometry), geometry.hidden)


@lru_cache(maxsize=4)
def network_for(geometry: Geometry = DEFAULT) -> Network:
    """The machine's weights: read from the cache, or compiled and kept there when it can be."""
    path = cache_folder() / f"{network_key(geometry)}.safetensors"
    if path.exists():
        try:
            return load_network(path)
        except ValueError as error:
            log.warning("%s; it is made again", error)
    log.info("compiling the machine (once; a few seconds)")
    network = compile_network(geometry)
    with contextlib.suppress(OSError):  # a full or read-only disk costs time, not the run
        save_network(network, path)
    return network


def machine_summary(geometry: Geometry = DEFAULT) -> dict[str, int]:
    """The figures that `assistant doctor` prints."""
    network = network_for(geometry)
    return {
        "layers": len(network.layers),
        "hidden": network.hidden,
        "channels": network.channels,
        "neurons": network.neurons,
        "nonzeros": network.nonzeros,
        "lanes": geometry.lanes,
        "threads": geometry.threads,
        "registers": geometry.registers,
        "instructions": geometry.instructions,
        "memory_bytes": geometry.memory_bytes,
    }
