"""The conversation that a person means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.conversations.records import Conversation
from assistant.nearest import did_you_mean
from vgpu.errors import InputError

_SHOWN = 4


def choose(known: Sequence[Conversation], words: str) -> Conversation:
    """By id, title, beginning of the id, beginning of the title: the first way that fits one.

    Raises InputError when nothing fits, or several in the same way.
    """
    wanted = " ".join(words.split()).casefold()
    if not wanted:
        raise InputError("name a conversation by its id or title: /list shows them")
    ways: tuple[Callable[[Conversation], bool], ...] = (
        lambda c: c.id == wanted,
        lambda c: c.title.casefold() == wanted,
        lambda c: c.id.startswith(wanted),
        lambda c: c.title.casefold().startswith(wanted),
    )
    for fits in ways:
        found = [c for c in known if fits(c)]
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(c.id for c in found[:_SHOWN])
            more = ", ..." if len(found) > _SHOWN else ""
            raise InputError(f'"{words}" names {len(found)} conversations: {listed}{more}')
    if not known:
        raise InputError(f'no conversation "{words}": none is kept yet')
    names = [name for c in known for name in (c.id, c.title) if name]
    hint = did_you_mean(words, names)
    raise InputError(
        f'no conversation "{words}"'
        + (hint if "did you mean" in hint else "; /list shows what there is")
    )
