"""From CUDA C to a program: kernels and parameters by name, places, and errors in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import codegen
import vgpu
from codegen.clang import find_clang
from codegen.listing import show_asm
from codegen.mangling import demangle

needs_clang = pytest.mark.skipif(find_clang() is None, reason="no clang")

SEVERAL = """
#include <cuda_runtime.h>
#include <stdio.h>
struct Pair { int a; short b; };
template <typename T> __global__ void fill(T *to, T value) { to[threadIdx.x] = value; }
extern "C" __global__ void plain(unsigned char *bytes, Pair pair, bool yes) {
  bytes[0] = pair.a + pair.b + yes;
}
namespace deep { __global__ void inner(uint64_t *wide, const short *narrow, size_t n) {
  for (unsigned i = 0; i < n; i++) ((int *)wide)[i] = narrow[i];
} }
int main() {
  int *d;
  cudaMalloc(&d, 16);
  fill<int><<<1, 4>>>(d, 7);
  printf("%d\\n", 1);
  return cudaDeviceSynchronize();
}
"""


def messages(source: str, kernel: str | None = None) -> str:
    with pytest.raises(codegen.CompileError) as caught:
        codegen.compile_source(source, kernel, name="user.cu")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@needs_clang
def test_parameters_have_their_names_and_types() -> None:
    described = {
        kernel: [
            (p.name, p.pointer, p.type) for p in codegen.compile_source(SEVERAL, kernel).params
        ]
        for kernel in ("fill", "plain", "inner")
    }
    assert described == {
        "fill": [("to", True, "i32"), ("value", False, "i32")],
        "plain": [("bytes", True, "u8"), ("pair", False, None), ("yes", False, "u8")],
        "inner": [("wide", True, "u64"), ("narrow", True, "i16"), ("n", False, "u64")],
    }


@needs_clang
@pytest.mark.parametrize("linkage", ['extern "C" ', ""])
@pytest.mark.parametrize("name", ["max", "abs", "swap"])
def test_a_kernel_called_as_a_function_of_the_headers(linkage: str, name: str) -> None:
    """`max` of a list: the templates of <algorithm> are no parameters of the kernel's."""
    source = f"""
    #include <algorithm>
    template <typename T> __device__ T abs(T a, T b, T c) {{ return a; }}
    {linkage}__global__ void {name}(const unsigned char *a, long long *out, int n) {{
      long long most = a[0];
      for (int i = 1; i < n; i++) most = most > a[i] ? most : a[i];
      *out = most << 33;
    }}
    """
    program = codegen.compile_source(source)
    described = [(p.name, p.pointer, p.type) for p in program.params]
    assert described == [("a", True, "u8"), ("out", True, "i64"), ("n", False, "i32")]
    inputs = {"a": vgpu.Array("u8", [3, 200, 7]), "n": 3}
    run = vgpu.Machine(engine="interpreter").run(program, inputs, {"out": 1})
    assert run.outputs["out"] == [200 << 33] and run.types["out"] == "i64"


@needs_clang
def test_kernels_are_chosen_by_name() -> None:
    assert codegen.compile_source(SEVERAL, "deep::inner").kernel == "inner"
    assert codegen.compile_source(SEVERAL, "_ZN4deep5innerEPmPKsm").kernel == "inner"
    assert messages(SEVERAL) == (
        "user.cu: several kernels here (plain, inner, fill): choose one with --kernel"
    )
    assert "did you mean plain?" in messages(SEVERAL, "plane")
    assert "write a __global__ function" in messages("int f() { return 1; }")


@needs_clang
@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("__global__ void k(int *a) {\n  a[0] = 1\n}", "user.cu:2:11: error: expected ';'"),
        ('#include "secret.h"\n', 'user.cu:1:10: #include "secret.h": no such header'),
        (
            '\n  #  include "/etc/passwd"\n',
            'user.cu:2:14: #  include "/etc/passwd": no such header',
        ),
        ('#inc\\\nlude "/etc/passwd"\n', 'user.cu:2:6: #include "/etc/passwd": no such header'),
        ("__global__ void k(int *a) { a[0] = b; }", "user.cu:1:36: error: use of undeclared"),
        (
            '__global__ void k(int *a) {\n  printf("%d", a[0]);\n}',
            "user.cu:2:3: printf is not supported: write what you want to see to an output",
        ),
        (
            "__global__ void k(float *a) {\n\n  atomicAdd(a, 1.0f);\n}",
            "user.cu:3:3: unsupported PTX instruction 'atom.global.add.f32",
        ),
        (
            "__global__ void k(float *a) {\n  a[0] = a[1] * a[2];\n}",
            "user.cu:2:15: unsupported PTX instruction 'mul.rn.f32",
        ),
        (
            '__global__ void k(int *a) {\n  asm("mad.s32 %0, %0, %0, %0;" : "+r"(a[0]));\n}',
            "user.cu:2:3: unsupported PTX instruction 'mad.s32",
        ),
        (
            '__global__ void k(int *a) {\n  asm("mov.u32 %0, %%clock;" : "=r"(a[0]));\n}',
            "%clock': the machine has no clock that a kernel can read",
        ),
    ],
)
def test_mistakes_give_one_line(source: str, told: str) -> None:
    assert told in messages(source)


@needs_clang
def test_a_kernel_that_is_too_long_says_by_how_much() -> None:
    lines = "".join(f"o[{n}] = a[{n}] * {n + 3} + b[{n}];" for n in range(300))
    told = messages("__global__ void k(int *o, const int *a, const int *b) {" + lines + "}")
    assert "instructions; the machine holds 1,024: make k smaller" in told


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(codegen.CompileError, match="No such file"):
        codegen.compile_file(tmp_path / "none.cu")
    (tmp_path / "binary.cu").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(codegen.CompileError, match="not a text file"):
        codegen.compile_file(tmp_path / "binary.cu")


@needs_clang
def test_every_instruction_knows_its_line() -> None:
    source = "__global__ void k(int *o, int a) {\n  int b = a * 3;\n  *o = b + max(a, 9);\n}\n"
    program = codegen.compile_source(source, name="k.cu")
    assert {(p.file, p.line) for p in program.source if p} <= {("k.cu", n) for n in (1, 2, 3, 4)}
    assert all(p is not None for p in program.source)
    listed = show_asm(program)
    assert "// k.cu:3" in listed and "max.s" in listed and "exit" in listed


@needs_clang
def test_compiling_twice_gives_the_same_program() -> None:
    one, two = (codegen.compile_source(SEVERAL, "inner") for _ in range(2))
    assert one == two
    assert vgpu.Program.from_json(one.to_json()) == one


@needs_clang
def test_device_functions_are_called() -> None:
    source = """
    struct Two { int a, b; };
    __device__ __noinline__ int weigh(int a, unsigned char b, short c) {
      return a * 100 + b * 10 + c;
    }
    __device__ __noinline__ Two swap(Two t) { Two r = {t.b, weigh(t.a, 2, -3)}; return r; }
    __global__ void k(int *o, int x) {
      Two t = {x, x + 1};
      Two s = swap(t);
      Two u = swap(s);
      o[0] = s.a; o[1] = s.b; o[2] = u.a; o[3] = u.b; o[4] = weigh(x, x, x);
    }
    """
    program = codegen.compile_source(source)
    run = vgpu.Machine(engine="interpreter").run(program, {"x": 7}, {"o": 5})
    weigh = lambda a, b, c: a * 100 + b * 10 + c  # noqa: E731
    assert run.outputs["o"] == [
        8,
        weigh(7, 2, -3),
        weigh(7, 2, -3),
        weigh(8, 2, -3),
        weigh(7, 7, 7),
    ]


@pytest.mark.parametrize(
    ("symbol", "name", "parameters"),
    [
        ("_Z3dotPKiS0_Pii", "dot", ((True, "i32"), (True, "i32"), (True, "i32"), (False, "i32"))),
        ("_ZN2ns5innerEPyj", "ns::inner", ((True, "u64"), (False, "u32"))),
        ("_Z2tkIhEvPT_PKS0_S0_", "tk<unsigned char>",
         ((True, "u8"), (True, "u8"), (False, "u8"))),
        ("_Z7struct2PK1PPS_S_", "struct2", ((True, None), (True, None), (False, None))),
        ("_Z4nonev", "none", ()),
        ("plain", "plain", None),
        ("_Zbroken", "_Zbroken", None),
    ],
)  # fmt: skip
def test_mangled_names(symbol: str, name: str, parameters: object) -> None:
    assert (demangle(symbol).name, demangle(symbol).parameters) == (name, parameters)
