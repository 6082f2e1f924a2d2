"""What commands list: conversations, kernels, hosts; plain lines, cut to a terminal's width."""

from __future__ import annotations

import textwrap
from datetime import datetime

from assistant.config import Config
from assistant.conversations import Conversation, Store
from assistant.nearest import did_you_mean
from assistant.untrusted import clean
from vgpu.errors import InputError

_TITLE = 44


def conversations(store: Store, count: int, current: str = "") -> str:
    """A line each, the latest first; `*` marks the current one."""
    talks = store.conversations(count)
    if not talks:
        return "no conversation is kept yet"
    return "\n".join(line(talk, "*" if talk.id == current else " ") for talk in talks)


def line(talk: Conversation, mark: str = " ") -> str:
    """Mark, id, time, messages and title."""
    when = datetime.fromtimestamp(talk.updated).strftime("%Y-%m-%d %H:%M")
    title = " ".join(clean(talk.title).split()) or "(no title)"
    return f"{mark} {talk.id}  {when}  {talk.messages:>4}  {textwrap.shorten(title, _TITLE)}"


def found(store: Store, words: str, count: int = 20) -> str:
    """The messages that hold the words, a line each."""
    hits = store.search(words, count)
    if not hits:
        return f'nothing holds "{words}"'
    lines = []
    for hit in hits:
        place = f"message {hit.number}" if hit.number else "title"
        lines.append(f"  {hit.conversation.id}  {place:<12} {clean(hit.excerpt)}")
    return "\n".join(lines)


def kernels(name: str = "") -> str:
    """All prebuilt kernels, or what one takes and gives. Raises InputError."""
    import codegen

    known = codegen.catalog()
    if not name:
        width = max(len(kernel.signature) for kernel in known.values())
        return "\n".join(f"{k.signature:<{width}}  {k.doc}" for k in known.values())
    kernel = known.get(name.lower())
    if kernel is None:
        hint = did_you_mean(name, known)
        raise InputError(
            f'no kernel "{name}"' + (hint if "did you mean" in hint else "; /kernels lists them")
        )
    lines = [f"{kernel.signature}: {kernel.doc}"]
    lines += [f"  {arg.name} ({arg.kind}): {arg.doc}" for arg in kernel.args]
    if kernel.example:
        lines.append(f"example: {kernel.name}({', '.join(map(str, kernel.example))})")
    lines.append(f"source: {kernel.source}")
    return "\n".join(lines)


def hosts(settings: Config) -> str:
    """The hosts of the settings; `*` marks the one that talks."""
    current, _ = settings.host()
    names = [*settings.hosts, *([] if current in settings.hosts else [current])]
    width = max(map(len, names))
    lines = []
    for name in names:
        entry = settings.hosts.get(name, {})
        mark = "*" if name == current else " "
        lines.append(f"{mark} {name:<{width}}  {entry.get('label', '')}".rstrip())
    return "\n".join([*lines, "or org/name of the Hugging Face hub, or a folder"])


def label(settings: Config) -> str:
    """What the configured host is called."""
    name, entry = settings.host()
    return str(entry.get("label", name))
