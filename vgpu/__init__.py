"""The machine: a small GPU whose every step is a forward pass of compiled Qwen3.5 layers.

import vgpu
machine = vgpu.Machine(engine="sparse")
run = machine.run(program, {"a": [1, 2, 3], "n": 3}, {"out": 1}, block=4)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vgpu.errors import BudgetError, FaultError, InputError, RunError, VgpuError
    from vgpu.geometry import Geometry
    from vgpu.launch import Array
    from vgpu.network import machine_summary
    from vgpu.program import Param, Program, Source
    from vgpu.runtime import Machine, Run

__all__ = [
    "Array", "BudgetError", "FaultError", "Geometry", "InputError", "Machine", "Param", "Program",
    "Run", "RunError", "Source", "VgpuError", "machine_summary",
]  # fmt: skip

# Imported at their first use: the command line needs the errors alone, at once, and no NumPy.
_MODULES = {
    "errors": ("BudgetError", "FaultError", "InputError", "RunError", "VgpuError"),
    "geometry": ("Geometry",),
    "launch": ("Array",),
    "network": ("machine_summary",),
    "program": ("Param", "Program", "Source"),
    "runtime": ("Machine", "Run"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            value = getattr(import_module(f"vgpu.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'vgpu' has no attribute {name!r}")
