"""clang sees no file but ours, and whatever it is given ends in one line, soon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import codegen
import vgpu
from codegen import clang, hostpart, sandbox
from codegen.clang import Options, find_clang
from vgpu.errors import BudgetError

pytestmark = [
    pytest.mark.skipif(find_clang() is None, reason="no clang"),
    pytest.mark.skipif(os.name != "posix", reason="limits of POSIX"),
]
SECRET = "SECRET_4711"
KERNEL = "__global__ void k(int *a) { a[0] = 1; }\n"
INSIDE = '__global__ void k(int *a) {{ asm volatile("{}"); a[0] = 1; }}'
MISSING = "no such header here"


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that no message may quote: including it is an error that would."""
    path = tmp_path_factory.mktemp("secret") / "secret.h"
    path.write_text(f"#error {SECRET}\n", encoding="utf-8")
    return path


def outcome(source: str) -> str:
    """What comes of it: `ok`, or the error with its details."""
    try:
        codegen.compile_source(source, name="u.cu")
    except codegen.CompileError as error:
        assert "\n" not in str(error)
        return f"{error}\n{error.details}"
    return "ok"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ('#include "WHERE"\n' + KERNEL, "u.cu:1:10: #include"),
        ("#include <WHERE>\n" + KERNEL, MISSING),
        ('#include "../secret.h"\n' + KERNEL, MISSING),
        ('#include "/dev/zero"\n' + KERNEL, MISSING),
        ('#include "/dev/stdin"\n' + KERNEL, MISSING),
        ("#include __FILE__\n" + KERNEL, "nested too deeply"),
        ('#include_next "WHERE"\n' + KERNEL, MISSING),
        ('#import "WHERE"\n' + KERNEL, MISSING),
        ('#define F "WHERE"\n#include F\n' + KERNEL, MISSING),
        ('%:include "WHERE"\n' + KERNEL, MISSING),
        ('#inc\\\nlude "WHERE"\n' + KERNEL, MISSING),
        (
            'const char *a = "/*";\n#include "WHERE"\nconst char *b = "*/";\n' + KERNEL,
            "u.cu:2:10: ",
        ),
        ('#pragma GCC dependency "WHERE"\n' + KERNEL, MISSING),
        ('_Pragma("GCC dependency \\"WHERE\\"")\n' + KERNEL, MISSING),
        ("#pragma clang module import std\n" + KERNEL, "module 'std' not found"),
        ('__constant__ char d[] = {\n#embed "WHERE"\n};\n' + KERNEL, "u.cu:2:"),
        ('#if __has_include("WHERE")\n#error it is there\n#endif\n' + KERNEL, "ok"),
        (INSIDE.format('.incbin \\"WHERE\\"'), "PTX syntax error"),
        (INSIDE.format("hello %%$#@!"), "PTX syntax error"),
        (INSIDE.format("}} .visible .entry evil() {{ ret;"), "PTX syntax error"),
        ('asm(".incbin \\"WHERE\\"");\n' + KERNEL, "ok"),
        ('#line 1 "WHERE"\n__global__ void k(int *a) { a[0] = b; }', "u.cu:1:36: error: use of"),
        ('#line 1 "WHERE"\n' + INSIDE.format("frob.s32 1;"), "u.cu:1:29: unsupported PTX"),
        ("#line 999999\n__global__ void k(int *a) { a[0] = b; }", "u.cu: error: use of"),
        ('__attribute__((annotate("WHERE"))) ' + KERNEL, "ok"),
    ],
)
def test_no_file_is_read(source: str, told: str, secret: Path) -> None:
    found = outcome(source.replace("WHERE", str(secret)))
    assert told in found
    assert SECRET not in found


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            "template <int N> struct T { static constexpr int v = T<N - 1>::v; };\n"
            "__global__ void k(int *a) { a[0] = T<99999>::v; }",
            "u.cu:1:54: error: recursive template instantiation exceeded maximum depth",
        ),
        (
            "constexpr long f(long n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
            "__global__ void k(long *a) { constexpr long b = f(60); a[0] = b; }",
            "u.cu:2:45: error: constexpr variable 'b' must be initialized by a constant",
        ),
        ("__device__ int g[1000000000] = {1};\n" + KERNEL, "u.cu: "),
        ("__device__ int g[0x1fffffffffffffff];\n" + KERNEL, "array is too large"),
        ("__global__ void k(int *a) {" + "{" * 10000 + "}" * 10000 + "}", "nesting level"),
        ("__global__ void k(int *a) { a[0] = " + "(" * 10000 + "1;}", "nesting level"),
        ("#pragma clang __debug crash\n" + KERNEL, "u.cu: clang crashed"),
    ],
)
def test_what_grows_without_end_is_stopped(source: str, told: str) -> None:
    assert told in outcome(source)


def test_time_and_size_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 1)
    monkeypatch.setattr(sandbox, "PATIENCE", 60)
    with sandbox.folder() as root, pytest.raises(sandbox.Stopped, match="took over 1 s"):
        sandbox.run((sys.executable, "-c", "while True: pass"), root, "it")
    monkeypatch.setattr(sandbox, "PATIENCE", 1)
    with sandbox.folder() as root, pytest.raises(sandbox.Stopped, match="took over 1 s"):
        sandbox.run(("/bin/sleep", "60"), root, "it")
    with sandbox.folder() as root, pytest.raises(sandbox.Stopped, match="wrote over"):
        sandbox.run(("/bin/sh", "-c", "cat /dev/zero > big"), root, "it")


def test_the_environment_does_not_go_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", SECRET)
    with sandbox.folder() as root:
        assert SECRET not in sandbox.run(("/usr/bin/env",), root, "env").out


INTERRUPTED = """
import sys, tempfile
from codegen import sandbox

tempfile.tempdir = sys.argv[1]
with sandbox.folder() as root:
    print("ready", flush=True)
    sandbox.run(("/bin/sleep", "60"), root, "sleep")
"""


def test_the_folder_goes_away_on_errors_and_on_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    outcome("__global__ void k(int *a) { a[0] = b; }")
    assert list(tmp_path.iterdir()) == []
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        assert len(list(tmp_path.iterdir())) == 1
        child.send_signal(signal.SIGINT)
    assert child.returncode not in (0, None)
    assert list(tmp_path.iterdir()) == []


TOLD_WHILE_STARTING = """
import os, signal, subprocess, sys
from codegen import sandbox
class Slow(subprocess.Popen):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        print(self.pid, flush=True)
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
        sum(range(1000))  # where it would be raised
subprocess.Popen = Slow
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
try:
    with sandbox.started(["sleep", "600"], "sleep"):
        pass
except KeyboardInterrupt:
    os._exit(7)
except SystemExit:
    os._exit(7)  # as a process of a pool leaves: without `atexit`
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_told_to_end_while_a_child_starts_it_leaves_none(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TOLD_WHILE_STARTING, name],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (7, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_both_ways_and_both_pointer_sizes_make_ptx() -> None:
    source = "__global__ void k(long *a, size_t n) { a[0] = a[1] * n; }"
    for via in clang.VIAS:
        for bits in (32, 64):
            ptx = clang.compile_to_ptx(source, "k.cu", Options(via, None, bits))
            assert f".address_size {bits}" in ptx
    one, other = (codegen.compile_source(source, via=via) for via in clang.VIAS)
    assert one.params == other.params
    with pytest.raises(codegen.CompileError, match='via "gcc": expected one of llvmlite, clang'):
        codegen.compile_source(source, via="gcc")
    with pytest.raises(codegen.CompileError, match="no such program"):
        codegen.compile_source(source, clang="/no/clang")
    with pytest.raises(codegen.CompileError, match="not a clang 14 or newer"):
        codegen.compile_source(source, clang="/bin/echo")


def test_the_host_part_is_blanked_in_place() -> None:
    source = (
        "#define GPU __device__\n"
        "namespace deep { GPU int f(int a) { return a; } static int h(int b) { return b; } }\n"
        "std::vector<int> global = {1, 2};\n"
        "constexpr int both(int a) { return a; }\n"
        'int main() { const char *s = "}"; /* } */ fill<int><<<1, 2>>>(d); }\n'
        "__global__ void last(int *a) { a[0] = both(1); }\n"
    )
    host = hostpart.split(source)
    assert len(host.device) == len(source)
    kept = [" ".join(line.split()) for line in host.device.splitlines()]
    assert kept == [
        "#define GPU __device__",
        "namespace deep { GPU int f(int a) { return a; } }",
        "",
        "constexpr int both(int a) { return a; }",
        "",
        "__global__ void last(int *a) { a[0] = both(1); }",
    ]
    assert (host.functions, host.instances) == (("h", "main"), ("fill<int>",))
    assert host.lines == {2, 3, 5}


@pytest.mark.parametrize(
    "body",
    [
        "while (true) a[0]++;",
        "again: a[0] += 1; goto again;",
        "int x = 0; while (x != 1) x = 2 * x;",
    ],
)
def test_a_loop_without_end_stays_one(body: str) -> None:
    program = codegen.compile_source(f"__global__ void k(int *a) {{ {body} a[1] = 1; }}")
    with pytest.raises(BudgetError):
        vgpu.Machine("interpreter").run(program, {"a": [0, 0]}, max_passes=50)


def test_the_clock_does_not_go_in() -> None:
    source = (
        'constexpr const char *t = __DATE__ " " __TIME__ " " __TIMESTAMP__;\n'
        "__global__ void k(char *a, int n) { for (int i = 0; i < n; i++) a[i] = t[i]; }"
    )
    program = codegen.compile_source(source)
    run = vgpu.Machine("interpreter").run(program, {"n": 45}, {"a": ("i8", 45)})
    assert bytes(run.outputs["a"]) == b"Jan  1 1970 00:00:00 Thu Jan  1 00:00:00 1970"


def test_long_names_and_broken_modules_are_told_shortly() -> None:
    assert len(outcome(f'#include "{"x" * 3000}"\n' + KERNEL)) < 300
    told = outcome("__global__ void k(int *a, ...) { a[0] = 1; }")
    assert "does not support varargs" in told
