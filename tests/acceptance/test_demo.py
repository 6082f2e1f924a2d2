"""The demo: a dot product on four lanes with shared memory and a barrier, as a command."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HEAD = "__global__ void dot(const int *a, const int *b, int *out, int n) {\n"
LOAD = "  __shared__ int s[4];\n  int t = threadIdx.x;\n  s[t] = t < n ? a[t] * b[t] : 0;\n"
KERNELS = {
    "sum": "  __syncthreads();\n  if (t == 0) *out = s[0] + s[1] + s[2] + s[3];\n}\n",
    "two barriers": "  __syncthreads();\n  if (t < 2) s[t] += s[t + 2];\n  __syncthreads();\n"
    "  if (t == 0) *out = s[0] + s[1];\n}\n",
    "loop": "  __syncthreads();\n  int x = 0;\n  if (t == 0) {\n"
    "    for (int i = 0; i < n; i++) x += s[i];\n    *out = x;\n  }\n}\n",
}
MOST_PASSES = 47
SHAPE = {
    "kernel": str, "grid": list, "block": list, "engine": str, "passes": int, "words": int,
    "instructions": int, "seconds": float, "outputs": dict, "computed_by": str, "folded": bool,
}  # fmt: skip


def source(kind: str) -> str:
    return HEAD + LOAD + KERNELS[kind]


def arguments(path: Path, a: list[int], b: list[int], *more: str) -> list[str]:
    lists = [f"{name}={','.join(map(str, v))}" for name, v in (("a", a), ("b", b))]
    return [
        "run", str(path), "--block", "4", "--in", lists[0], "--in", lists[1],
        "--set", f"n={len(a)}", "--out", "out=1", *more,
    ]  # fmt: skip


def check_shape(record: dict[str, Any]) -> None:
    assert {name: type(value) for name, value in record.items()} == SHAPE


@pytest.mark.parametrize("engine", ["sparse", "dense"])
def test_the_demo_in_a_process_of_its_own(
    engine: str, shell: Callable[..., Any], write: Callable[..., Path]
) -> None:
    path = write("dot.cu", source("two barriers"))
    done = shell(*arguments(path, [1, 2, 3], [4, 5, 6], "--engine", engine, "--json"))
    record = done.record
    check_shape(record)
    assert done.status == 0
    assert record["kernel"] == "dot"
    assert (record["grid"], record["block"]) == ([1, 1, 1], [4, 1, 1])
    assert record["engine"] == engine
    assert record["outputs"] == {"out": [32]}
    assert record["computed_by"] == "network"
    assert record["folded"] is False
    assert 0 < record["passes"] <= MOST_PASSES
    assert record["words"] == 4 * record["passes"]
    assert 0 < record["instructions"] <= record["words"]


@pytest.mark.parametrize("kind", KERNELS)
def test_the_same_words_on_every_engine(
    kind: str, cli: Callable[..., Any], write: Callable[..., Path]
) -> None:
    path = write("dot.cu", source(kind))
    records = []
    engines = ("interpreter", "sparse", "dense") if kind == "sum" else ("interpreter", "sparse")
    for engine in engines:
        done = cli(*arguments(path, [1, 2, 3], [4, 5, 6], "--engine", engine, "--json"))
        records.append(done.record)
        check_shape(records[-1])
    for record in records:
        assert record["outputs"] == {"out": [32]}
        assert record["passes"] <= MOST_PASSES
        assert {**record, "engine": "", "seconds": 0, "computed_by": ""} == {
            **records[0], "engine": "", "seconds": 0, "computed_by": "",
        }  # fmt: skip


def test_the_interpreter_does_not_claim_to_be_the_network(
    cli: Callable[..., Any], write: Callable[..., Path]
) -> None:
    path = write("dot.cu", source("sum"))
    done = cli(*arguments(path, [1, 2], [3, 4], "--engine", "interpreter", "--json"))
    assert done.record["computed_by"] != "network"


def test_an_output_that_is_not_named_is_one_element(
    cli: Callable[..., Any], write: Callable[..., Path]
) -> None:
    """The shortest call: two lists. `out` is a pointer that the call does not mention."""
    text = source("sum").replace(", int n", "").replace("t < n", "t < 3")
    path = write("dot.cu", text)
    done = cli("run", path, "--block", 4, "--in", "a=1,2,3", "--in", "b=4,5,6", "--json")
    assert done.status == 0, done.err
    assert done.record["outputs"] == {"out": [32]}


def test_nothing_is_canned(cli: Callable[..., Any], write: Callable[..., Path]) -> None:
    """For all a, b: out = sum of a[i] * b[i], modulo 2**32 as a signed number."""
    path = write("dot.cu", source("sum"))
    draw = random.Random(20)
    for size in (1, 2, 3, 4, 4, 4):
        a, b = ([draw.randint(-(2**31), 2**31 - 1) for _ in range(size)] for _ in "ab")
        exact = sum(x * y for x, y in zip(a, b, strict=True))
        done = cli(*arguments(path, a, b, "--json"))
        assert done.record["outputs"]["out"] == [(exact + 2**31) % 2**32 - 2**31], (a, b)


def test_for_people_the_figures_and_what_they_took(
    cli: Callable[..., Any], write: Callable[..., Path]
) -> None:
    done = cli(*arguments(write("dot.cu", source("sum")), [1, 2, 3], [4, 5, 6]))
    assert done.status == 0
    assert "out = 32" in done.out
    assert "passes" in done.out and "words" in done.out


def test_a_result_that_the_compiler_computed_is_reported(
    cli: Callable[..., Any], write: Callable[..., Path]
) -> None:
    """A kernel folded to a constant was computed outside the network, and the run says so."""
    path = write("k.cu", "__global__ void k(int *out) { *out = 6 * 7; }\n")
    record = cli("run", path, "--out", "out=1", "--json").record
    assert record["outputs"] == {"out": [42]}
    assert record["folded"] is True
