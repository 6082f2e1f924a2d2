"""Compiles the prebuilt kernels: every codegen/kernels/NAME.cu to NAME.vgpu beside it.

    python -m codegen.build_kernels [NAME ...]

Without names it makes all, runs their examples, and writes docs/kernels.md. Needs a clang; the
programs it makes are shipped, so that using them needs none.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from codegen import compile_file, kernel_table
from codegen.catalog import KERNELS, catalog, forget_programs
from vgpu import Machine, Program
from vgpu.errors import InputError, VgpuError


def build(name: str) -> Program:
    """Compile one kernel. Its parameters are named in the order of the catalogue and have the
    types that it says. Source places are relative to the kernels' folder, so that the program does
    not depend on where the repository lies. Raises CompileError."""
    kernel = catalog()[name]
    program = compile_file(KERNELS / f"{name}.cu", kernel=name)
    params = tuple(
        dataclasses.replace(param, name=known, type=kernel.type_of(known))
        for param, known in zip(program.params, kernel.parameters, strict=True)
    )
    source = tuple(
        place and dataclasses.replace(place, file=Path(place.file).name) for place in program.source
    )
    return dataclasses.replace(program, source=source, params=params)


def main(names: list[str]) -> int:
    try:
        for name in names or list(catalog()):
            if name not in catalog():
                raise InputError(f"no prebuilt kernel is called {name}")
            program = build(name)
            program.save(KERNELS / f"{name}.vgpu")
            print(f"{name}: {len(program.code)} instructions")
        if not names:
            forget_programs()
            kernel_table.PATH.write_text(
                kernel_table.table(Machine(engine="sparse")), encoding="utf-8"
            )
            print(f"wrote {kernel_table.PATH.name}")
    except VgpuError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
