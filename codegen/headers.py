"""What clang can see: one source file and our headers, through an overlay with nothing else.

clang reads files through a virtual file system (`-ivfsoverlay`). The overlay written here holds
the source and the headers of `device/include` and does not fall through to the real files, so
`#include "/etc/passwd"`, `#embed`, `__has_include` and `#pragma GCC dependency` find nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

HEADERS: Final = Path(__file__).parent / "device" / "include"
INPUT: Final = "input.cu"

# Headers of the C++ library that the host part of a file may ask for; each is our small stand-in.
_HOST_ONLY: Final = (
    "algorithm array atomic bitset chrono complex deque exception fstream functional future "
    "initializer_list iomanip ios iostream istream iterator limits list map memory mutex numeric "
    "optional ostream queue random ratio set span sstream stack stdexcept streambuf string "
    "string_view thread tuple type_traits typeinfo unordered_map unordered_set utility valarray "
    "variant vector cassert cctype cerrno cinttypes clocale csignal cstdarg ctype.h errno.h "
    "inttypes.h omp.h signal.h stdarg.h sys/time.h sys/types.h unistd.h getopt.h helper_cuda.h "
    "helper_functions.h cuda_profiler_api.h nvToolsExt.h"
).split()
_STAND_IN: Final = "vgpu_std.h"

# Headers that people expect and that cannot be given.
UNSUPPORTED: Final = {
    "cuda_fp16.h": "half is not supported: the machine computes with integers",
    "cuda_bf16.h": "bfloat16 is not supported: the machine computes with integers",
    "curand_kernel.h": "there is no random number library here: compute the numbers in the kernel",
    "mma.h": "tensor cores are not supported: write the products as loops",
    "cuda/atomic": "libcu++ is not supported: use atomicAdd and its like",
    "cuda/std/atomic": "libcu++ is not supported: use atomicAdd and its like",
}  # fmt: skip


def write_overlay(root: Path) -> Path:
    """Writes the overlay for the file INPUT in the folder `root`, and returns where."""
    ours = {path.name: path for path in sorted(HEADERS.iterdir()) if path.is_file()}
    ours |= {name: HEADERS / _STAND_IN for name in _HOST_ONLY if name not in ours}
    nested = {name for name in ours if "/" in name}
    folders: dict[str, list[dict[str, Any]]] = {
        str(root): [_file(INPUT, root / INPUT)],
        str(HEADERS): [_file(name, path) for name, path in ours.items() if name not in nested],
    }
    for name in sorted(nested):
        inside = Path(name)
        folders.setdefault(str(HEADERS / inside.parent), []).append(_file(inside.name, ours[name]))
    overlay = {
        "version": 0,
        "case-sensitive": "true",
        "fallthrough": False,
        "use-external-names": False,
        "roots": [
            {"type": "directory", "name": name, "contents": contents}
            for name, contents in folders.items()
        ],
    }
    written = root / "overlay.yaml"
    written.write_text(json.dumps(overlay), encoding="utf-8")
    return written


def _file(name: str, contents: Path) -> dict[str, Any]:
    return {"type": "file", "name": name, "external-contents": str(contents)}
