"""Running clang: CUDA C in, PTX text out, and clang's messages in the user's terms.

clang sees one file in a temporary folder, our header folder and nothing else; it has limits on
time, memory and output. `#include` of anything that is not ours is refused before it runs.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Final

from codegen.errors import CompileError, place

HEADERS: Final = Path(__file__).parent / "device" / "include"
SECONDS: Final = 20
MEMORY_BYTES: Final = 8 << 30
OUTPUT_BYTES: Final = 64 << 20
SOURCE_BYTES: Final = 1 << 20
OLDEST: Final = 14
NEWEST: Final = 22
INPUT: Final = "input.cu"
_MISSING: Final = (
    "no clang found to compile CUDA C: install the wheel (pip install ziglang) "
    f"or a system clang {OLDEST} or newer (apt install clang)"
)
_FLAGS: Final = (
    "-x", "cuda", "--cuda-device-only", "-m32", "--cuda-gpu-arch=sm_75",
    "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-nostdinc",
    "-isystem", str(HEADERS), "-include", "vgpu_device.h",
    "-Xclang", "-target-feature", "-Xclang", "+ptx63", "-std=c++17",
    "-ffp-contract=off", "-fno-color-diagnostics", "-w", "-ferror-limit=8",
)  # fmt: skip
_PTX_FLAGS: Final = (
    "-O1", "-fno-jump-tables", "-mllvm", "-replexitval=never",
    "-gline-tables-only", "-fdebug-compilation-dir=.", "-S", "-o", "out.ptx",
)  # fmt: skip
_MESSAGE: Final = re.compile(r"^(.*?):(\d+):(\d+): (fatal error|error|note): (.*)$")
_INCLUDE: Final = re.compile(
    r"""^[ \t]*(?:\#|%:|\?\?=)[ \t]*(include|include_next|import|embed)\b[ \t]*(.*)$""", re.M
)
_HAS_FILE: Final = re.compile(r"\b(__has_include(?:_next)?|__has_embed)\b")


@dataclass(frozen=True)
class Clang:
    """A clang that can write PTX. `kind` is "system" or "ziglang"."""

    command: tuple[str, ...]
    version: int
    kind: str

    @property
    def path(self) -> str:
        return " ".join(self.command)


@cache
def find_clang() -> Clang | None:
    """The clang to use, or None. Looks for `clang`, then newest first, then the ziglang wheel."""
    names = ["clang", *(f"clang-{n}" for n in range(NEWEST, OLDEST - 1, -1))]
    for name in names:
        path = shutil.which(name)
        if path is None:
            continue
        version = _version((path,))
        if version >= OLDEST and "nvptx" in _ask((path, "--print-targets")):
            return Clang((path,), version, "system")
    if importlib.util.find_spec("ziglang") is not None:
        command = (sys.executable, "-m", "ziglang", "clang")
        version = _version(command)
        if version >= OLDEST:
            return Clang(command, version, "ziglang")
    return None


def compile_to_ptx(source: str, name: str) -> str:
    """PTX of the CUDA C `source`; `name` is the file that messages speak of.

    Raises CompileError with clang's first error, and the rest of its output as details.
    """
    _check_source(source, name)
    code, messages, output = _run(_PTX_FLAGS, source, "out.ptx")
    if code != 0 or output is None:
        raise _explain(messages, name)
    return output


def dump_declarations(source: str, name: str, filter_: str) -> str:
    """clang's syntax tree, as JSON, of the declarations whose name contains `filter_`."""
    flags = (
        "-fsyntax-only", "-Xclang", "-ast-dump=json",
        "-Xclang", f"-ast-dump-filter={filter_}",
    )  # fmt: skip
    code, messages, output = _run(flags, source, "stdout")
    if code != 0 or output is None:
        raise _explain(messages, name)
    return output


def _ask(command: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _version(command: tuple[str, ...]) -> int:
    found = re.search(r"clang version (\d+)", _ask((*command, "--version")))
    return int(found.group(1)) if found else 0


def _limits() -> None:
    """Runs in the child, before clang."""
    import resource

    for kind, limit in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, OUTPUT_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))


def _run(flags: tuple[str, ...], source: str, output: str) -> tuple[int, str, str | None]:
    """(exit status, messages, text of the file `output` or None), in a folder of its own."""
    clang = find_clang()
    if clang is None:
        raise CompileError(_MISSING)
    with tempfile.TemporaryDirectory(prefix="vgpu-clang-") as folder:
        root = Path(folder)
        (root / INPUT).write_text(source, encoding="utf-8")
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "SYSTEMROOT", "LANG")}
        environment = kept | {"HOME": folder, "TMPDIR": folder, "TMP": folder, "TEMP": folder}
        with (root / "stdout").open("wb") as out, (root / "stderr").open("wb") as err:
            try:
                done = subprocess.run(
                    (*clang.command, *_FLAGS, *flags, INPUT),
                    cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                    env=environment, timeout=SECONDS, check=False,
                    preexec_fn=_limits if os.name == "posix" else None,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                raise CompileError(f"clang took over {SECONDS} s and was stopped") from None
            except OSError as error:
                raise CompileError(f"cannot run {clang.path}: {error.strerror}") from error
        messages = (root / "stderr").read_text(encoding="utf-8", errors="replace")
        made = root / output
        text = made.read_text(encoding="utf-8", errors="replace") if made.exists() else None
        return done.returncode, messages, text


def _check_source(source: str, name: str) -> None:
    if len(source) > SOURCE_BYTES:
        raise CompileError(f"{name}: {len(source):,} characters; at most {SOURCE_BYTES:,}")
    if "\x00" in source:
        raise CompileError(f"{name}: not a text file")
    for line, column, what in _foreign_includes(source):
        raise CompileError(
            place(
                name, line, column,
                f"{what}: no such header here; a kernel file stands alone, "
                "leave the line out (cuda_runtime.h, stdint.h and the C headers are built in)",
            )
        )  # fmt: skip
    probe = _HAS_FILE.search(source)
    if probe is not None:
        line = source.count("\n", 0, probe.start()) + 1
        raise CompileError(place(name, line, 0, f"{probe.group(1)} is not supported"))


def _foreign_includes(source: str) -> Iterator[tuple[int, int, str]]:
    """(line, column, directive) of each directive that would read a file that is not ours.

    Looks at the text as written, for the place, and then as the preprocessor joins its lines.
    """
    blank = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), source, flags=re.S)
    spliced = re.sub(r"/\*.*?\*/", " ", re.sub(r"\\[ \t]*\r?\n", "", source), flags=re.S)
    for text, placed in ((blank, True), (spliced, False)):
        for match in _INCLUDE.finditer(text):
            what = match.group(2).split("//")[0].strip()
            if match.group(1) == "include" and what[:1] in ("<", '"'):
                header = re.split(r'[>"]', what[1:])[0]
                if Path(header).name == header and (HEADERS / header).exists():
                    continue
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
            directive = f"#{match.group(1)} {what}"
            yield (line, column, directive) if placed else (0, 0, directive)


def _explain(messages: str, name: str) -> CompileError:
    """The first error of clang's output that lies in the user's file, as one line."""
    lines = messages.splitlines()
    errors = [(i, m) for i, m in ((i, _MESSAGE.match(s)) for i, s in enumerate(lines)) if m]
    for index, match in errors:
        if match.group(4) == "note":
            continue
        file, line, column, _, text = match.groups()
        if Path(file).name != INPUT:
            # an error inside our header: the note that follows tells which call caused it
            for _, note in (e for e in errors if e[0] > index):
                if Path(note.group(1)).name == INPUT:
                    line, column = note.group(2), note.group(3)
                    break
            else:
                continue
        shown = list(takewhile(lambda s: not _MESSAGE.match(s), lines[index + 1 :]))[:3]
        caret = [s for s in shown if "generated" not in s] if Path(file).name == INPUT else []
        message = place(name, int(line), int(column), f"error: {text}")
        return CompileError(message, "\n".join(caret))
    told = next((s for s in lines if "error" in s), "clang failed")
    return CompileError(f"{name}: {told.replace(INPUT, name)}")
