"""The CPU as an oracle: the same .cu, compiled by a C++ compiler, one thread a CUDA thread.

It shares nothing with the compiler or the machine but the text of the kernel. A file of kernels is
compiled once (`compile_kernels`); each launch is a process of its own, so nothing is left over from
the one before.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from codegen import sandbox
from vgpu.errors import InputError

HEADERS: Final = Path(__file__).parent
COMPILE_SECONDS: Final = 300  # the compiler's very first run on a machine prepares its libraries
RUN_SECONDS: Final = 60
FLAGS: Final = (
    "-std=c++20", "-O1", "-w", "-fwrapv", "-pthread", "-ffp-contract=off", "-fno-math-errno",
    "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", f"-I{HEADERS}",
)  # fmt: skip
# name in a case → name for numpy and C, bytes, signed
FORMATS: Final = {
    "i8": ("int8_t", 1), "u8": ("uint8_t", 1), "bool": ("uint8_t", 1), "i16": ("int16_t", 2),
    "u16": ("uint16_t", 2), "i32": ("int32_t", 4), "u32": ("uint32_t", 4), "i64": ("int64_t", 8),
    "u64": ("uint64_t", 8), "f32": ("uint32_t", 4),
}  # fmt: skip
_DYNAMIC_SHARED: Final = re.compile(
    r"extern\s+__shared__\s+(?:__align__\(\d+\)\s*)?([\w\s]+?)\s+(\w+)\s*\[\s*\]\s*;"
)


class OracleError(Exception):
    """The oracle itself could not run the kernel: no compiler, no compilation, no end."""


def compiler() -> list[str]:
    """A C++20 compiler for this machine: zig's from its wheel, else the system's."""
    if importlib.util.find_spec("ziglang") is not None:
        # `cc`, not `c++`: the header needs no C++ library, which zig would first have to build
        return [sys.executable, "-m", "ziglang", "cc"]
    for name in ("g++", "clang++", "c++"):
        if found := shutil.which(name):
            return [found]
    raise OracleError("no C++ compiler: pip install ziglang")


def compile_kernels(
    text: str, kernels: Sequence[str], name: str, work: Path, flags: Sequence[str] = ()
) -> Path:
    """A binary in `work` that runs each of `kernels`, functions of the CUDA C in `text`.

    Raises OracleError with the compiler's first complaint, which speaks of the file `name`.
    """
    # The line markers let the compiler speak of the user's file, and of the line in it.
    table = ", ".join(f"ORACLE_KERNEL({k})" for k in kernels)
    program = (
        f'#include "cuda_on_cpu.h"\n#line 1 {json.dumps(name)}\n{_for_cpu(text)}\n'
        f"static const OracleEntry oracle_entries[] = {{{table}}};\n"
        f"int main() {{ return oracle_main(oracle_entries, {len(kernels)}); }}\n"
    )
    work.mkdir(parents=True, exist_ok=True)
    (work / "kernels.cpp").write_text(program, encoding="utf-8")
    command = [*compiler(), *FLAGS, *flags, "-x", "c++", "kernels.cpp", "-o", "kernels", "-lm"]
    built = _run(command, work, "", COMPILE_SECONDS)
    if built.returncode:
        said = built.stderr.splitlines()
        first = next((x for x in said if "error" in x), built.stderr[:200])
        raise OracleError(first if first.startswith(name) else f"{name}: {first}")
    return work / "kernels"


def _for_cpu(text: str) -> str:
    """The kernels' text for the CPU: dynamic shared memory points at one buffer; no includes."""
    text = re.sub(r"^[ \t]*#[ \t]*include.*$", "", text, flags=re.M)
    return _DYNAMIC_SHARED.sub(r"\1 *\2 = (\1 *)oracle_dynamic_shared;", text)


def launch(binary: Path, case: Mapping[str, Any]) -> dict[str, list[int]]:
    """Outputs of one case by name. Raises OracleError when the kernel does not end, or crashes."""
    words = [case["kernel"], *case["grid"], *case["block"], len(case["args"])]
    for arg in case["args"]:
        kind, (_, size) = arg["kind"], FORMATS[arg["type"]]
        values = arg.get("values") or [0] * arg.get("count", 0)
        data = b"".join((v % (1 << 8 * size)).to_bytes(size, "little") for v in values)
        words += ["s" if kind == "scalar" else "a", len(data), data.hex() or "-"]
    ran = _run([str(binary)], binary.parent, " ".join(map(str, words)), RUN_SECONDS)
    if ran.returncode:
        raise OracleError(f"{case['kernel']}: the kernel ended with status {ran.returncode}")
    arrays = [arg for arg in case["args"] if arg["kind"] != "scalar"]
    outputs = {}
    for arg, line in zip(arrays, ran.stdout.split(), strict=True):
        kind, size = FORMATS[arg["type"]]
        data = bytes.fromhex(line.removeprefix("-"))
        parts = (data[i : i + size] for i in range(0, len(data), size))
        outputs[arg["name"]] = [int.from_bytes(p, "little", signed=kind[0] == "i") for p in parts]
    return {name: outputs[name] for name in case["expect"]}


class Builds:
    """Compiles kernels of case files, each file once, several at a time, ahead of their use.

    `with Builds(folder, cases) as builds: builds.run(case)`.
    """

    def __init__(self, folder: Path, cases: Sequence[Mapping[str, Any]]) -> None:
        self.folder = folder
        self._temporary = tempfile.TemporaryDirectory(prefix="oracle-")
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1)
        wanted: dict[str, list[str]] = {}
        for case in cases:
            kernels = wanted.setdefault(case["file"], [])
            if case["kernel"] not in kernels:
                kernels.append(case["kernel"])
        self._made: dict[str, Future[Path]] = {
            file: self._pool.submit(self._compile, file, kernels, str(number))
            for number, (file, kernels) in enumerate(wanted.items())
        }

    def __enter__(self) -> Builds:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._temporary.cleanup()

    def _compile(self, file: str, kernels: list[str], number: str) -> Path:
        text = (self.folder / file).read_text(encoding="utf-8")
        return compile_kernels(text, kernels, file, Path(self._temporary.name) / number)

    def run(self, case: Mapping[str, Any]) -> dict[str, list[int]]:
        """Outputs of one case by name. Raises OracleError."""
        return launch(self._made[case["file"]].result(), case)


def run_case(folder: Path, case: Mapping[str, Any]) -> dict[str, list[int]]:
    """Outputs of one case by name. Raises OracleError."""
    with Builds(folder, [case]) as builds:
        return builds.run(case)


def _run(
    command: list[str], work: Path, given: str, seconds: int
) -> subprocess.CompletedProcess[str]:
    name = Path(command[0]).name
    with sandbox.started(
        command, name, cwd=work, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        try:
            said = child.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise OracleError(f"{name} did not end in {seconds} s") from None
    return subprocess.CompletedProcess(command, child.returncode, *said)


def load_cases(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """(name, case) of every case file in a folder, in order. Raises InputError when none is there,
    or one is not a list of cases."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            cases = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"{path}: not JSON: {error}") from None
        if not isinstance(cases, list) or any("kernel" not in case for case in cases):
            raise InputError(f"{path}: expected a list of cases")
        found += [(f"{path.stem}[{i}]", case) for i, case in enumerate(cases)]
    if not found:
        raise InputError(f"{folder}: no case files (NAME.json) here")
    return found
