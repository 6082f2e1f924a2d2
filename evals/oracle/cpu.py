"""The CPU as an oracle: the same .cu, compiled by a C++ compiler, one thread a CUDA thread.

It shares nothing with the compiler or the machine but the text of the kernel.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HEADER = Path(__file__).with_name("cuda_on_cpu.h")
TIMEOUT = 300  # seconds, for the compiler (its first run builds a library) and the kernel each
FORMATS = {
    "i8": ("int8_t", 1), "u8": ("uint8_t", 1), "bool": ("uint8_t", 1), "i16": ("int16_t", 2),
    "u16": ("uint16_t", 2), "i32": ("int32_t", 4), "u32": ("uint32_t", 4), "i64": ("int64_t", 8),
    "u64": ("uint64_t", 8), "f32": ("uint32_t", 4),
}  # fmt: skip


class OracleError(Exception):
    """The oracle itself could not run the kernel: no compiler, no compilation, no end."""


def compiler() -> list[str]:
    """A C++20 compiler for this machine: zig's from its wheel, else the system's."""
    try:
        import ziglang  # noqa: F401
    except ImportError:
        for name in ("g++", "clang++", "c++"):
            if found := shutil.which(name):
                return [found]
        raise OracleError("no C++ compiler: pip install ziglang") from None
    return [sys.executable, "-m", "ziglang", "c++"]


def _prepared(text: str) -> str:
    """The kernel's text for the CPU: dynamic shared memory points at one buffer; no includes."""
    text = re.sub(r"^\s*#\s*include.*$", "", text, flags=re.M)
    return re.sub(
        r"extern\s+__shared__\s+(?:__align__\(\d+\)\s*)?([\w\s]+?)\s+(\w+)\s*\[\s*\]\s*;",
        r"\1 *\2 = (\1 *)oracle_dynamic_shared;",
        text,
    )


def _bytes(type: str, values: Sequence[int]) -> str:
    size = FORMATS[type][1]
    data = b"".join((v & ((1 << 8 * size) - 1)).to_bytes(size, "little") for v in values)
    return "{" + ",".join(str(b) for b in data) + "}"


def _main(case: Mapping[str, Any]) -> str:
    """A main() that launches the case and prints its outputs as lists."""
    lines = ["int main() {", "  std::vector<std::vector<unsigned char>> raw;"]
    for name in ("grid", "block"):
        x, y, z = case[name]
        lines.append(f"  {name}Dim = {{{x}, {y}, {z}}};")
    for i, arg in enumerate(case["args"]):
        if arg["kind"] == "scalar":
            lines.append(f"  raw.push_back({_bytes(arg['type'], arg['values'])});")
            continue
        size = FORMATS[arg["type"]][1]
        values = arg.get("values")
        count = len(values) if values is not None else arg["count"]
        initial = _bytes(arg["type"], values) if values else "{}"
        lines.append(
            f"  alignas(16) static unsigned char a{i}[{max(size * count, 1)}] = {initial};"
        )
        lines.append(
            f"  raw.emplace_back(8); {{ void *p = a{i}; memcpy(raw.back().data(), &p, 8); }}"
        )
    lines.append(f"  oracle_launch(&{case['kernel']}, raw);")
    for i, arg in enumerate(case["args"]):
        if arg["name"] in case["expect"]:
            kind, size = FORMATS[arg["type"]]
            lines.append(f'  printf("{arg["name"]}:");')
            lines.append(
                f"  for (size_t k = 0; k < sizeof a{i} / {size}; k++) {{ {kind} v; "
                f"memcpy(&v, a{i} + k * {size}, {size}); "
                + ('printf(" %llu", (unsigned long long)v);' if kind[0] == "u" else
                   'printf(" %lld", (long long)v);')
                + " }\n  puts(\"\");"
            )  # fmt: skip
    return "\n".join([*lines, "}"])


def run_case(folder: Path, case: Mapping[str, Any]) -> dict[str, list[int]]:
    """Outputs of one case by name. Raises OracleError when it does not compile, or does not end."""
    source = _prepared((folder / case["file"]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        program = f'#include "{HEADER}"\n{source}\n{_main(case)}\n'
        (work / "case.cpp").write_text(program, encoding="utf-8")
        flags = ["-std=c++20", "-O1", "-w", "-fwrapv", "-pthread", "-ffp-contract=off"]
        command = [*compiler(), *flags, "case.cpp", "-o", "case"]
        built = _run(command, work)
        if built.returncode:
            first = next((x for x in built.stderr.splitlines() if "error" in x), built.stderr[:200])
            raise OracleError(f"{case['file']}: {first}")
        ran = _run([str(work / "case")], work)
        if ran.returncode:
            raise OracleError(f"{case['file']}: the kernel ended with status {ran.returncode}")
    outputs = {}
    for line in ran.stdout.splitlines():
        key, _, values = line.partition(":")
        outputs[key] = [int(v) for v in values.split()]
    return outputs


def _run(command: list[str], work: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise OracleError(f"{Path(command[0]).name} did not end in {TIMEOUT} s") from None


def load_cases(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """(name, case) of every case file in a folder, in order."""
    found = []
    for path in sorted(folder.glob("*.json")):
        cases = json.loads(path.read_text(encoding="utf-8"))
        found += [(f"{path.stem}[{i}]", case) for i, case in enumerate(cases)]
    return found
