"""What a conversation was about: for messages that lean on it, also after it was resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from assistant.conversations import Message
from assistant.slash.request import is_options, is_source

if TYPE_CHECKING:
    from assistant.router import Before, Call

_EXCHANGES: Final = 3  # that plain chat is reminded of
_LONGEST: Final = 500  # characters of each message


def before(messages: Sequence[Message]) -> Before | None:
    """The last figure, and the call that gave it; None when there was none."""
    from assistant.router import Before

    for record, call in _calls(messages):
        if record.get("problem") is None and record.get("written"):
            return Before(str(record["written"]), call)
    return None


def last_calls(messages: Sequence[Message]) -> tuple[int, list[Call]]:
    """The number of the last answer with calls of prebuilt kernels, and the calls in order."""
    for message in reversed(messages):
        calls = [call for _, call in _calls([message])]
        if calls:
            return message.number, calls[::-1]
    return 0, []


def last_program(messages: Sequence[Message]) -> tuple[int, Mapping[str, Any]]:
    """The number of the last answer that a written program gave, and its record; 0 for none."""
    for message in reversed(messages):
        record = message.record or {}
        if record.get("attempts") and record.get("figures"):
            return message.number, record
    return 0, {}


def last_written(messages: Sequence[Message]) -> Mapping[str, Any] | None:
    """The record of the last answer, if a program was written for it or run again."""
    last = next((m for m in reversed(messages) if m.role == "assistant"), None)
    record = last.record if last is not None else None
    return record if record and (record.get("attempts") or record.get("task")) else None


def history(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The last exchanges as a chat: `{"role", "content"}`, without kernels and failures."""
    told: list[dict[str, str]] = []
    for asked, answer in zip(messages, messages[1:], strict=False):
        pair = (asked.role, answer.role) == ("user", "assistant")
        kernel = is_source(asked.text) or is_options(asked.text) or asked.text.startswith("/")
        if pair and answer.state == "done" and answer.text and not kernel:
            for message in (asked, answer):
                told.append({"role": message.role, "content": message.text[:_LONGEST]})
    return told[-2 * _EXCHANGES :]


def _calls(messages: Sequence[Message]) -> Iterator[tuple[Mapping[str, Any], Call]]:
    """Calls of prebuilt kernels with their records, the latest first."""
    from assistant.router import Call

    for message in reversed(messages):
        for record in reversed(list((message.record or {}).get("calls") or ())):
            try:
                yield record, Call.of(record)
            except (KeyError, TypeError, ValueError):
                continue
