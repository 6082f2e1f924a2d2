"""The machine: a small GPU whose every step is a forward pass of compiled Qwen3.5 layers.

import vgpu
machine = vgpu.Machine(engine="sparse")
run = machine.run(program, {"a": [1, 2, 3], "n": 3}, {"out": 1}, block=4)
"""

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
