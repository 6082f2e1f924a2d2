"""Conversations as Markdown to read and as JSON to keep, with their runs and traces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assistant.conversations.records import ROLES, STATES, Conversation, Message
from assistant.untrusted import clean, clean_json
from vgpu.errors import InputError, RunError

if TYPE_CHECKING:
    from assistant.conversations.store import Store

FORMAT: Final = "vgpu-conversation-1"
SUFFIXES: Final = (".md", ".json")
_SAID: Final = {"user": "You", "assistant": "Assistant"}
_ENDED: Final = {
    "streaming": "still being written",
    "cancelled": "stopped",
    "interrupted": "the program ended before the answer did",
}


# ---- Markdown ----
def export_markdown(store: Store, conversation: str) -> str:
    """The conversation, each answer with a table of its calls. Raises InputError."""
    talk = store.get(conversation)
    facts = [talk.id, _time(talk.created), talk.host, talk.mode]
    parts = [f"# {_heading(talk)}", " · ".join(clean(fact) for fact in facts if fact)]
    for message in store.messages(conversation):
        parts += [f"## {_SAID[message.role]}", *_body(message)]
    return "\n\n".join(parts) + "\n"


def _heading(talk: Conversation) -> str:
    return clean(talk.title) or f"Conversation {talk.id}"


def _body(message: Message) -> Iterator[str]:
    text = clean(message.text).rstrip()
    if "__global__" in text:
        text = _fenced(text)
    if text:
        yield text
    if message.state == "failed":
        yield f"*failed: {clean(message.problem)}*"
    elif message.state in _ENDED:
        yield f"*{_ENDED[message.state]}*"
    if message.record:
        yield from _calls(message.record)
        yield from _attempts(message.record)
    if message.traces:
        yield "traces: " + ", ".join(f"`{clean(name)}`" for name in message.traces)


def _calls(record: Mapping[str, Any]) -> Iterator[str]:
    rows = [call for call in record.get("calls") or () if isinstance(call, Mapping)]
    if not rows:
        return
    lines = ["| call | figure | passes | words | seconds |", "|---|---|---:|---:|---:|"]
    for call in rows:
        figure = call.get("problem") or json.dumps(call.get("figure"))
        cells = [
            f"`{call.get('call', '')}`", str(figure), str(call.get("passes", "")),
            str(call.get("words", "")), f"{call.get('seconds', 0):.2f}",
        ]  # fmt: skip
        lines.append("| " + " | ".join(clean(cell).replace("|", "\\|") for cell in cells) + " |")
    yield "\n".join(lines)
    engine = record.get("engine") or "sparse"
    by = "computed in the network" if engine != "interpreter" else "computed by the interpreter"
    by += f" ({engine} engine)" if engine != "interpreter" else ""
    if record.get("host"):
        by += f", {'written' if record.get('attempts') else 'chosen'} by {record['host']}"
    yield f"*{clean(by)}*"


def _attempts(record: Mapping[str, Any]) -> Iterator[str]:
    """The programs of advanced mode, each with what became of it."""
    tried = [a for a in record.get("attempts") or () if isinstance(a, Mapping)]
    for attempt in tried:
        number = attempt.get("number", "?")
        mine = bool(record.get("figures")) and number == record.get("chosen")
        name = f"Kernel {record['kept']}" if record.get("kept") else f"Attempt {number}"
        state = "passed" if attempt.get("passed") else str(attempt.get("stage") or "not done")
        mark = ", the answer's" if mine else ""
        yield f"### {clean(name)}: {clean(state)}{mark}"
        yield _fenced(clean(str(attempt.get("cuda", ""))).rstrip())
        if attempt.get("problem"):
            yield f"*{clean(str(attempt['problem']))}*"


def _fenced(text: str) -> str:
    """CUDA as a block that nothing in it can end."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text) or [""]))
    return f"{fence}cuda\n{text}\n{fence}"


# ---- JSON ----
def export_json(store: Store, conversation: str) -> dict[str, Any]:
    """Everything that is kept of it. Times are ISO 8601, UTC. Raises InputError."""
    talk = store.get(conversation)
    return {
        "format": FORMAT,
        "id": talk.id,
        "title": talk.title,
        "created": _time(talk.created),
        "updated": _time(talk.updated),
        "host": talk.host,
        "mode": talk.mode,
        "messages": [_message(store, message) for message in store.messages(conversation)],
    }


def _message(store: Store, message: Message) -> dict[str, Any]:
    record: dict[str, Any] = {
        "role": message.role,
        "text": message.text,
        "created": _time(message.created),
        "mode": message.mode,
        "state": message.state,
    }
    if message.problem:
        record["problem"] = message.problem
    if message.record is not None:
        record["record"] = message.record
    if message.traces:
        record["traces"] = {
            name: _lines(store.trace(message.conversation, message.number, name))
            for name in message.traces
        }
    return record


def _lines(trace: bytes) -> list[Any]:
    return [json.loads(line) for line in trace.splitlines()]


def import_json(store: Store, text: str, where: str) -> Conversation:
    """A new conversation with what `export_json` wrote. Raises InputError that names `where`."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"{where}: not an exported conversation: expected the format {FORMAT}")
    messages = record.get("messages")
    if not isinstance(messages, list):
        raise InputError(f"{where}: messages: expected a list")
    for number, message in enumerate(messages):
        _check(message, f"{where}: messages[{number}]")
    title, host, mode = (record.get(key) or "" for key in ("title", "host", "mode"))
    if not all(isinstance(value, str) for value in (title, host, mode)):
        raise InputError(f"{where}: title, host and mode: expected text")
    talk = store.start(title=title, host=host, mode=mode)
    for message in messages:
        state = message.get("state", "done")
        kept = store.add(
            talk.id, message["role"], message["text"],
            mode=message.get("mode", ""), state="interrupted" if state == "streaming" else state,
            record=message.get("record"), problem=message.get("problem", ""),
        )  # fmt: skip
        for name, lines in message.get("traces", {}).items():
            spelled = (json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
            store.keep_trace(talk.id, kept.number, name, "".join(spelled).encode())
    return store.get(talk.id)


def _check(message: Any, where: str) -> None:
    if not isinstance(message, dict):
        raise InputError(f"{where}: expected an object")
    if message.get("role") not in ROLES:
        raise InputError(f"{where}: role: expected one of {', '.join(ROLES)}")
    if message.get("state", "done") not in STATES:
        raise InputError(f"{where}: state: expected one of {', '.join(STATES)}")
    for key in ("text", "mode", "problem"):
        if not isinstance(message.get(key, "" if key != "text" else None), str):
            raise InputError(f"{where}: {key}: expected text")
    if not isinstance(message.get("record"), dict | None):
        raise InputError(f"{where}: record: expected an object")
    traces = message.get("traces", {})
    if not isinstance(traces, dict) or not all(isinstance(t, list) for t in traces.values()):
        raise InputError(f"{where}: traces: expected names with lists of lines")


# ---- files ----
def write_export(
    store: Store, conversation: str, path: Path | None = None, *, force: bool = False
) -> Path:
    """Writes `path`, Markdown or JSON by its suffix; without one, TITLE.md in the working folder.

    A file that is there is written over only with `force`. Raises InputError, or RunError when
    the file cannot be written.
    """
    chosen = path or Path(f"{_slug(store.get(conversation))}.md")
    if chosen.suffix not in SUFFIXES:
        raise InputError(f"{chosen}: expected a name that ends in {' or '.join(SUFFIXES)}")
    if chosen.suffix == ".json":
        text = clean_json(json.dumps(export_json(store, conversation), ensure_ascii=False)) + "\n"
    else:
        text = export_markdown(store, conversation)
    try:
        with chosen.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{chosen}: is there already; give another name, or --force") from None
    except OSError as error:
        raise RunError(f"{chosen}: cannot be written: {error.strerror}") from None
    return chosen


def _slug(talk: Conversation) -> str:
    words = re.sub(r"[^\w]+", "-", talk.title.casefold()).strip("-")[:40].strip("-")
    return words or talk.id


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
