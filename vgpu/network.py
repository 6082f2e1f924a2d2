"""The compiled network of a geometry."""

from __future__ import annotations

from functools import lru_cache

from vgpu.blocks import build
from vgpu.circuit.emit import Network, emit
from vgpu.geometry import DEFAULT, Geometry


@lru_cache(maxsize=4)
def network_for(geometry: Geometry = DEFAULT) -> Network:
    """Compile the machine. Raises CircuitError when the geometry does not fit its hidden size."""
    return emit(build(geometry), geometry.hidden)


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
