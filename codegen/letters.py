"""Names with letters that PTX does not have: `größe` compiles as `gr_u00f6__u00df_e`.

clang takes such names and LLVM's PTX back end refuses them. They are spelled in ASCII on the way
in, and put back in whatever a person reads.
"""

from __future__ import annotations

import re
from typing import Final

_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_SPELLED: Final = re.compile(r"_u([0-9a-f]{4,6})_")


def spell(text: str) -> str:
    """`text` with the names of its code in ASCII. Comments and strings stay as they are."""
    if text.isascii():
        return text
    from codegen.hostpart import tokens

    named = ("word", "directive")
    return "".join(_spell_word(t.text) if t.kind in named else t.text for t in tokens(text))


def _spell_word(word: str) -> str:
    return _FOREIGN.sub(lambda m: f"_u{ord(m.group()):04x}_", word)


def put_back(text: str) -> str:
    """`text` with the names as they were written."""
    return _SPELLED.sub(lambda m: _letter(int(m[1], 16), m.group()), text)


def _letter(code: int, spelled: str) -> str:
    return chr(code) if 0x7F < code < 0x110000 and not 0xD800 <= code < 0xE000 else spelled
