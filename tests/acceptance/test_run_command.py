"""`assistant run`: parameters by name and position, types, shapes, programs of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCALE = """
__global__ void scale(int *data, int n) {
  data[threadIdx.x + blockIdx.x * blockDim.x] *= n;
}
"""
CELLS = """
__global__ void cells(int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int width = gridDim.x * blockDim.x;
  out[y * width + x] = 1000 * y + x;
}
"""
REVERSE = """
__global__ void reverse(const int *in, int *out) {
  extern __shared__ int s[];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }
"""
NARROW = """
__global__ void narrow(const {c} *in, {c} *out, {c} step) {{
  out[threadIdx.x] = in[threadIdx.x] + step;
}}
"""
DOT = """
__global__ void dot(const int *a, const int *b, int *out, int n) {
  __shared__ int s[4];
  int t = threadIdx.x;
  s[t] = t < n ? a[t] * b[t] : 0;
  __syncthreads();
  if (t == 0) *out = s[0] + s[1] + s[2] + s[3];
}
"""
DOT_CALL = ("--block", 4, "--in", "a=1,2,3", "--in", "b=4,5,6", "--set", "n=3", "--out", "out=1")
C_TYPES = {
    "i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short",
    "i32": "int", "u32": "unsigned",
}  # fmt: skip
Cli = Callable[..., Any]
Write = Callable[[str, str], Path]


@pytest.mark.parametrize(
    "options",
    [
        ("--in", "data=1,-2,3", "--out", "data=3", "--set", "n=-7"),
        ("--in", "1=1,-2,3", "--out", "1=3", "--set", "2=-7"),
        ("--in", "data:i32=1,-2,3", "--out", "data:i32=3", "--set", "n:i32=-7"),
    ],
)
def test_parameters_by_name_and_by_position(
    options: tuple[str, ...], cli: Cli, write: Write
) -> None:
    record = cli("run", write("k.cu", SCALE), "--block", 3, *options, "--json").record
    assert record["outputs"] == {"data": [-7, 14, -21]}


def test_an_input_is_read_back_only_when_asked(cli: Cli, write: Write) -> None:
    done = cli("run", write("k.cu", SCALE), "--in", "data=4", "--set", "n=2", "--json")
    assert done.record["outputs"] == {}
    assert "nothing is read back; for results add --out" in done.err


def test_blocks_and_grids_of_several_dimensions(cli: Cli, write: Write) -> None:
    record = cli(
        "run", write("k.cu", CELLS), "--grid", "2,3", "--block", "4,2", "--out", "out=48", "--json"
    ).record
    assert record["outputs"]["out"] == [1000 * y + x for y in range(6) for x in range(8)]
    assert (record["grid"], record["block"]) == ([2, 3, 1], [4, 2, 1])


def test_dynamic_shared_memory_and_the_choice_of_a_kernel(cli: Cli, write: Write) -> None:
    path = write("k.cu", REVERSE)
    call = ["run", path, "--block", 5, "--in", "in=1,2,3,4,5", "--out", "out=5", "--json"]
    turned = cli(*call, "--kernel", "reverse", "--shared", 20).record
    assert (turned["kernel"], turned["outputs"]) == ("reverse", {"out": [5, 4, 3, 2, 1]})
    same = cli(*call, "--kernel", "copy").record
    assert (same["kernel"], same["outputs"]) == ("copy", {"out": [1, 2, 3, 4, 5]})


@pytest.mark.parametrize("type", C_TYPES)
def test_element_types_wrap_as_their_width_says(type: str, cli: Cli, write: Write) -> None:
    """For every type and its corners: out = in + 1 modulo 2**bits."""
    bits, signed = int(type[1:]), type[0] == "i"
    low = -(2 ** (bits - 1)) if signed else 0
    high = low + 2**bits - 1
    values = [low, low + 1, 0, 1, high - 1, high]
    record = cli(
        "run", write("k.cu", NARROW.format(c=C_TYPES[type])), "--block", len(values),
        "--in", f"in:{type}={','.join(map(str, values))}", "--out", f"out:{type}={len(values)}",
        "--set", f"step:{type}=1", "--json",
    ).record  # fmt: skip
    assert record["outputs"]["out"] == [(v + 1 - low) % 2**bits + low for v in values]


@pytest.mark.parametrize("type", ["i64", "u64", "f32"])
def test_wide_elements_travel_unchanged(type: str, cli: Cli, write: Write) -> None:
    """No 64-bit or float arithmetic is needed to copy them as 32-bit words."""
    values = {"i64": "-1,9007199254740993", "u64": "18446744073709551615,7", "f32": "0.5,-2"}[type]
    words = 2 if type == "f32" else 4
    done = cli(
        "run", write("k.cu", REVERSE), "--kernel", "copy", "--block", words,
        "--in", f"in:{type}={values}", "--out", f"out:{type}=2", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    exact = [0x3F000000, 0xC0000000] if type == "f32" else [int(v) for v in values.split(",")]
    assert done.record["outputs"]["out"] in (exact, [0.5, -2.0] if type == "f32" else exact)


def test_ptx_and_compiled_programs_run_like_their_source(
    cli: Cli, write: Write, tmp_path: Path
) -> None:
    source = write("dot.cu", DOT)
    ptx = write("dot.ptx", cli("compile", source, "--show", "ptx").out)
    program = tmp_path / "dot.vgpu"
    assert cli("compile", source, "-o", program).status == 0
    records = [cli("run", source, *DOT_CALL, "--json").record]
    records.append(cli("run", program, *DOT_CALL, "--json").record)
    by_position = ("--in", "1=1,2,3", "--in", "2=4,5,6", "--out", "3=1", "--set", "4=3")
    records.append(cli("run", ptx, "--block", 4, *by_position, "--json").record)
    for record in records:
        assert list(record["outputs"].values()) == [[32]]
        assert record["passes"] == records[0]["passes"]


def test_a_trace_is_json_lines_with_a_line_a_pass(cli: Cli, write: Write, tmp_path: Path) -> None:
    trace = tmp_path / "run.jsonl"
    record = cli("run", write("dot.cu", DOT), *DOT_CALL, "--trace", trace, "--json").record
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert all(isinstance(line, dict) for line in lines)
    assert lines[0]["kernel"] == "dot"
    assert sum("pass" in line for line in lines) == record["passes"]
    assert len(lines) > record["passes"]


def test_engines_leave_the_same_trace(cli: Cli, write: Write, tmp_path: Path) -> None:
    """Every word of a run, the prompt and the results included, whoever evaluates it."""
    traces = []
    for engine in ("interpreter", "sparse"):
        trace = tmp_path / f"{engine}.jsonl"
        cli("run", write("dot.cu", DOT), *DOT_CALL, "--trace", trace, "--engine", engine)
        launch, *lines = trace.read_text(encoding="utf-8").splitlines()
        header = json.loads(launch)
        assert header.pop("engine") == engine
        assert header.pop("crc")
        traces.append([header, *lines])
    assert traces[0] == traces[1]


def test_logs_do_not_mix_with_json(shell: Cli, write: Write, tmp_path: Path) -> None:
    """Even when the machine is compiled anew, with an empty cache."""
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    record = shell("run", write("dot.cu", DOT), *DOT_CALL, "--json", env=env).record
    assert record["outputs"] == {"out": [32]}
