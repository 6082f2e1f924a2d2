"""A grammar's parser tables, kept in the cache: making them takes longer than parsing a kernel."""

from __future__ import annotations

import contextlib
import hashlib
import io
import sys

import lark
from lark import Lark

from vgpu.store import cache_folder, replace_file

_HASH = hashlib.sha256().digest_size


def lark_of(grammar: str, **options: bool) -> Lark:
    """The LALR parser of a grammar, from the cache where it holds its tables whole.

    A file that is damaged, or cannot be read or written, costs time and nothing else.
    """
    parts = (grammar, repr(sorted(options.items())), lark.__version__, sys.version)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    path = cache_folder() / f"ptx-{key}.tables"
    with contextlib.suppress(OSError):
        content = path.read_bytes()
        if hashlib.sha256(content[_HASH:]).digest() == content[:_HASH]:
            return Lark.load(io.BytesIO(content[_HASH:]))
    made = Lark(grammar, parser="lalr", **options)
    kept = io.BytesIO()
    made.save(kept)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, hashlib.sha256(kept.getvalue()).digest() + kept.getvalue())
    return made
