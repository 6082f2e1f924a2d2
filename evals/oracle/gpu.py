"""A real GPU as an oracle: NVRTC's PTX through the CUDA driver, by cuda-python.

Optional: `pip install cuda-python nvidia-cuda-nvrtc`, and a machine with an NVIDIA driver.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evals.oracle.cpu import FORMATS, OracleError
from evals.oracle.nvrtc import to_ptx


def device_name() -> str | None:
    """The first CUDA device's name and the driver's version, or None where there is no device."""
    try:
        from cuda.bindings import driver
    except ImportError:
        return None
    if driver.cuInit(0)[0] != driver.CUresult.CUDA_SUCCESS:
        return None
    error, count = driver.cuDeviceGetCount()
    if error != driver.CUresult.CUDA_SUCCESS or count == 0:
        return None
    name = _call(driver.cuDeviceGetName, 128, _call(driver.cuDeviceGet, 0))
    version = _call(driver.cuDriverGetVersion)
    return (
        f"{name.split(bytes(1))[0].decode()} (driver API {version // 1000}.{version % 1000 // 10})"
    )


def _call(function: Any, *arguments: Any) -> Any:
    """The results of a driver call. Raises OracleError with the error's name."""
    error, *results = function(*arguments)
    if error.value:
        raise OracleError(f"{function.__name__}: {error.name}")
    return results[0] if len(results) == 1 else results


class Gpu:
    """One context on device 0; `run_case` like `cpu.run_case`."""

    def __init__(self) -> None:
        from cuda.bindings import driver

        self.driver = driver
        _call(driver.cuInit, 0)
        device = _call(driver.cuDeviceGet, 0)
        self.context = _call(driver.cuDevicePrimaryCtxRetain, device)
        _call(driver.cuCtxSetCurrent, self.context)

    def run_case(self, folder: Path, case: Mapping[str, Any]) -> dict[str, list[int]]:
        cu = self.driver
        ptx = to_ptx((folder / case["file"]).read_text(encoding="utf-8"), case["file"])
        entry = _entry(ptx, case["kernel"])
        module = _call(cu.cuModuleLoadData, ptx.encode() + b"\0")
        buffers: dict[str, tuple[Any, np.ndarray, str]] = {}
        holders: list[np.ndarray] = []
        try:
            for arg in case["args"]:
                kind, size = FORMATS[arg["type"]]
                values = arg.get("values")
                dtype = np.dtype(kind.removesuffix("_t"))
                if values is None:
                    host = np.zeros(arg["count"], dtype)
                else:
                    mask = (1 << 8 * size) - 1
                    unsigned = np.array([v & mask for v in values], dtype=f"u{size}")
                    host = unsigned.view(dtype)
                if arg["kind"] == "scalar":
                    holders.append(host)
                    continue
                pointer = _call(cu.cuMemAlloc, max(host.nbytes, 1))
                _call(cu.cuMemcpyHtoD, pointer, host.ctypes.data, host.nbytes)
                buffers[arg["name"]] = (pointer, host, arg["type"])
                holders.append(np.array([int(pointer)], dtype=np.uint64))
            parameters = np.array([h.ctypes.data for h in holders], dtype=np.uint64)
            function = _call(cu.cuModuleGetFunction, module, entry.encode())
            _call(
                cu.cuLaunchKernel, function, *case["grid"], *case["block"], case["shared_bytes"],
                0, parameters.ctypes.data, 0,
            )  # fmt: skip
            _call(cu.cuCtxSynchronize)
            outputs = {}
            for name in case["expect"]:
                pointer, host, _ = buffers[name]
                _call(cu.cuMemcpyDtoH, host.ctypes.data, pointer, host.nbytes)
                outputs[name] = [int(v) for v in host]
            return outputs
        finally:
            for pointer, _, _ in buffers.values():
                cu.cuMemFree(pointer)
            cu.cuModuleUnload(module)


def _entry(ptx: str, kernel: str) -> str:
    """The mangled name of a kernel in PTX."""
    for name in re.findall(r"\.entry\s+([\w$]+)", ptx):
        if name == kernel or re.match(rf"_Z{len(kernel)}{re.escape(kernel)}", name):
            return str(name)
    raise OracleError(f"no kernel {kernel} in the compiled PTX")
