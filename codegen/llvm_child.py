"""LLVM IR to PTX with llvmlite. Runs alone in a child process, because LLVM ends the process on
an error: `python llvm_child.py FOLDER-OF-LLVMLITE IN.bc OUT.ptx`.

One LLVM makes the code whichever clang wrote the IR. Its passes are those of -O1, without what
suits a GPU but not this machine: no unrolling, no vectors, no loops turned into closed forms
(`-replexitval=never`: they would multiply in 64 bits), and no division moved out of a loop past
the test that keeps its divisor from being zero (`-disable-machine-licm`: a GPU divides by zero
without a fault, this machine does not).
"""

from __future__ import annotations

import sys
from pathlib import Path

CPU = "sm_75"
FEATURES = "+ptx63"
LEVEL = 1


def translate(bitcode: bytes) -> str:
    """The PTX of one module. Raises RuntimeError for IR that this LLVM cannot read."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.set_option("vgpu", "-replexitval=never")
    llvm.set_option("vgpu", "-disable-machine-licm")
    module = llvm.parse_bitcode(bitcode)
    target = llvm.Target.from_triple(module.triple)
    machine = target.create_target_machine(cpu=CPU, features=FEATURES, opt=LEVEL)
    machine.set_asm_verbosity(True)  # comments tell which line called an inlined function
    tuning = llvm.create_pipeline_tuning_options(LEVEL)
    tuning.loop_unrolling = tuning.loop_interleaving = False
    tuning.loop_vectorization = tuning.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(module, passes)
    return str(machine.emit_assembly(module))


def main(arguments: list[str]) -> int:
    library, source, target = arguments
    sys.path.append(library)
    try:
        ptx = translate(Path(source).read_bytes())
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    Path(target).write_text(ptx, encoding="utf-8", errors="surrogateescape")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
