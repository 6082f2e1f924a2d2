"""One session: the conversation, the settings and what was run last. Front ends send it messages.

outcome = session.take(text)          # quick; raises InputError on what cannot be
if isinstance(outcome, Work):
    for event in outcome.steps(assistant, cancelled): ...
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from assistant import config
from assistant.config import CHOICES, Config
from assistant.conversations import Conversation, Store, import_json, write_export
from assistant.conversations.replies import Reply
from assistant.events import Done, Figure, Note, Text, Tried
from assistant.nearest import did_you_mean
from assistant.slash import attempts, context, listing, request, tracing
from assistant.slash.commands import Call, help_text, is_command, parse
from assistant.slash.outcomes import Changed, Copied, Left, Opened, Outcome, Said, Shown, Work
from assistant.slash.request import InputsNeeded, Request
from assistant.slash.running import Ran, run_request
from vgpu.errors import Cancelled, InputError, VgpuError

_STOPPED: Final = "stopped"
_NOTHING: Final = "nothing was run yet: ask something with numbers, or /run FILE"


class Session:
    """`options`: the dotted keys that `settings` was loaded with, kept when the host changes."""

    def __init__(
        self, settings: Config, store: Store, options: Mapping[str, Any] | None = None
    ) -> None:
        self.settings, self.store = settings, store
        self._options = dict(options or {})
        self.conversation: Conversation = self._begin()
        self._ran: tuple[int, Ran] | None = None  # the last run and its message's number
        self._request: Request | None = None  # that a line of options is for

    @property
    def mode(self) -> str:
        return str(self.settings["mode"])

    def take(self, text: str) -> Outcome:
        """What a message asks for. Raises InputError (nothing has changed then)."""
        if request.is_source(text):
            return self._run(text, request.pasted(text))
        if is_command(text):
            return self._command(parse(text))
        if request.is_options(text):
            if self._request is None:
                raise InputError("no kernel waits for options: /run FILE, or paste a .cu file")
            return self._run(text, self._request.given(text))
        question = text.strip()
        if question.startswith("//"):
            question = question[1:]
        if not question:
            raise InputError("the message is empty")
        return self._work(question, partial(self.answer, question=question))

    def resume(self, conversation: Conversation) -> Opened:
        """Goes on with a conversation."""
        self.conversation, self._ran, self._request = conversation, None, None
        return Opened(conversation, tuple(self.store.messages(conversation.id)))

    # ---- work ----
    def work_of(self, asked: Request, shown: str) -> Work:
        """The run of a kernel."""
        return self._work(shown, partial(self.run, asked=asked, shown=shown))

    def _work(self, shown: str, steps: Callable[..., Iterator[Any]]) -> Work:
        """It belongs to the conversation that goes on now, whichever does when its turn comes."""
        talk, mode = self.conversation.id, self.mode

        def begun(assistant: Any, cancelled: threading.Event) -> Iterator[Any]:
            return steps(assistant, cancelled, talk=talk)

        def unbegun(problem: str) -> None:
            with contextlib.suppress(InputError):  # the conversation is gone
                self.store.say(talk, shown, mode=mode)
                reply = self.store.reply(talk, mode=mode)
                reply.failed(problem) if problem else reply.cancelled()

        return Work(shown, begun, unbegun, talk)

    def answer(
        self, assistant: Any, cancelled: threading.Event, *, question: str, talk: str
    ) -> Iterator[Any]:
        """`Assistant.stream`, kept as it goes in the conversation `talk`."""
        said = self.store.messages(talk)
        leans = {"before": context.before(said), "history": context.history(said)}
        return self._kept(
            talk, question, lambda: assistant.stream(question, cancelled, **leans), cancelled
        )

    def run(
        self, assistant: Any, cancelled: threading.Event, *, asked: Request, shown: str, talk: str
    ) -> Iterator[Any]:
        """Runs a kernel, kept as it goes; a line of options runs it again with others."""
        self._request = asked
        return self._kept(
            talk,
            shown,
            lambda: run_request(assistant.machine, self.settings, asked, cancelled),
            cancelled,
        )

    def trace(self, assistant: Any, file: Path | None, cancelled: threading.Event) -> Iterator[Any]:
        """Records the last run's words: kept with its message, and written to `file`."""
        said = self.store.messages(self.conversation.id)
        number, calls = context.last_calls(said)
        answered, record = context.last_program(said)
        if self._ran is not None and self._ran[0] > max(number, answered):
            number, ran = self._ran
            steps = tracing.of_request(assistant.machine, self.settings, ran.request, cancelled)
        elif answered > number:
            number, mine = answered, attempts.chosen(record) or {}
            asked = attempts.again(record, mine, str(mine["cuda"]))
            steps = tracing.of_request(
                assistant.machine, self.settings, asked, cancelled, int(mine["number"])
            )
        elif calls:
            steps = tracing.of_calls(assistant.machine, self.settings, calls, cancelled)
        else:
            raise InputError(_NOTHING)
        recorded = []
        for trace in steps:
            recorded.append(trace)
            kept = len(trace.data) <= tracing.MOST_KEPT
            if kept:
                self.store.keep_trace(self.conversation.id, number, trace.name, trace.data)
            where = f"kept as {trace.name}" if kept else "too long to be kept here"
            yield Said(f"{trace.line}, {where}")
        if file is not None:
            written = ", ".join(str(path) for path in tracing.write(file, recorded))
            yield Said(f"written: {written}")
        else:
            yield Said("/export FILE.json holds it; /trace FILE.jsonl writes it alone")

    def _kept(
        self,
        talk: str,
        shown: str,
        begin: Callable[[], Iterator[Any]],
        cancelled: threading.Event,
    ) -> Iterator[Any]:
        self.store.say(talk, shown, mode=self.mode)
        reply = self.store.reply(talk, mode=self.mode)
        tried: dict[int, Mapping[str, Any]] = {}
        try:
            for event in begin():
                if isinstance(event, Tried) and event.record:
                    tried[event.number] = event.record
                self._keep(reply, event)
                yield event
                if cancelled.is_set() and not isinstance(event, Done | Ran):
                    raise Cancelled(_STOPPED)
        except VgpuError as error:
            if isinstance(error, Cancelled):
                reply.cancelled(record=_begun(tried))
            elif isinstance(error, InputsNeeded):
                reply.done(str(error))
            else:
                reply.failed(str(error), record=_begun(tried))
            raise
        except (KeyboardInterrupt, GeneratorExit):
            reply.cancelled(record=_begun(tried))
            raise
        except BaseException as error:
            reply.failed(f"{type(error).__name__}: {error}")
            raise

    def _keep(self, reply: Reply, event: Any) -> None:
        match event:
            case Text(piece):
                reply.write(piece)
            case Figure(computed):
                reply.write(computed.said + "\n")
            case Note(text):
                reply.write(text + "\n")
            case Tried(step, _, text) if step != "writing":
                reply.write(text + "\n")
            case Done(answer):
                reply.done(answer.text, answer.record())
            case Ran():
                reply.done(event.text, event.record())
                if reply.conversation == self.conversation.id:
                    self._ran = (reply.number, event)

    # ---- commands ----
    def _command(self, call: Call) -> Outcome:
        handler: Callable[[str], Outcome] = getattr(self, f"_{call.command.name}")
        return handler(call.argument)

    def _help(self, name: str) -> Outcome:
        return Shown(help_text(name))

    def _quit(self, _: str) -> Outcome:
        return Left()

    def _mode(self, name: str) -> Outcome:
        known = CHOICES["mode"]
        if not name:
            return Shown(f"mode {self.mode}; there are {' and '.join(known)}")
        if name not in known:
            raise InputError(f'unknown mode "{name}"{did_you_mean(name, known)}')
        values = {**self.settings.values, "mode": name}
        self._options["mode"] = name
        return self._changed(replace(self.settings, values=values), False, f"mode {name}")

    def _host(self, name: str) -> Outcome:
        if not name:
            return Shown(listing.hosts(self.settings))
        settings = config.load({**self._options, "host": name})
        settings.host()
        self._options["host"] = name
        label = listing.label(settings)
        return self._changed(settings, True, f"{label} talks from the next message on")

    def _changed(self, settings: Config, host: bool, text: str) -> Outcome:
        self.settings = settings
        return Changed(settings, host, text)

    def _run(self, argument: str, asked: Request | None = None) -> Outcome:
        chosen = asked or request.from_file(argument)
        shown = argument if asked else f"/run {argument}"
        return self.work_of(chosen, shown)

    def _kernels(self, name: str) -> Outcome:
        return Shown(listing.kernels(name))

    def _trace(self, name: str) -> Outcome:
        said = self.store.messages(self.conversation.id)
        if not any((context.last_calls(said)[1], context.last_program(said)[0], self._ran)):
            raise InputError(_NOTHING)
        file = Path(name).expanduser() if name else None
        if file is not None and file.suffix != ".jsonl":
            raise InputError(f"{file}: expected a name that ends in .jsonl")
        return Work(
            f"/trace {name}".strip(), lambda assistant, stop: self.trace(assistant, file, stop)
        )

    def _attempts(self, argument: str) -> Outcome:
        _, record = attempts.latest(self.store.messages(self.conversation.id))
        return Shown(attempts.show(record, argument))

    def _begin(self) -> Conversation:
        host = str(self.settings["host"])
        return self.store.start(host=host, mode=self.mode)

    def _new(self, _: str) -> Outcome:
        return self.resume(self._begin())

    def _list(self, count: str) -> Outcome:
        if count and not (count.isascii() and count.isdigit() and int(count) > 0):
            raise InputError(f"/list {count}: expected a count, at least 1")
        return Shown(listing.conversations(self.store, int(count or 20), self.conversation.id))

    def _search(self, words: str) -> Outcome:
        return Shown(listing.found(self.store, words))

    def _load(self, name: str) -> Outcome:
        path = Path(name).expanduser()
        if path.suffix == ".json":
            from assistant.sources import text

            if not path.exists():
                raise InputError(f"{path}: there is no such file")
            return self.resume(import_json(self.store, text(path), str(path)))
        return self.resume(self.store.find(name))

    def _save(self, title: str) -> Outcome:
        written = context.last_written(self.store.messages(self.conversation.id))
        if title and written is not None:
            from assistant.advanced.saved import save_record

            path = save_record(title, written)
            return Shown(f'kernel kept: {path}; "run {title} on ..." runs it, in either mode')
        if title:
            self.conversation = self.store.rename(self.conversation.id, title)
        saved = self.store.saved or self.store.save_again()
        named = f'"{self.conversation.title}" ' if title else ""
        if not saved:
            raise InputError(
                f"{self.store.path}: still cannot be written; /export FILE.md keeps this "
                "conversation elsewhere"
            )
        return Shown(f"{named}saved as {self.conversation.id}; /load {self.conversation.id}")

    def _rename(self, title: str) -> Outcome:
        self.conversation = self.store.rename(self.conversation.id, title)
        return Shown(f'renamed to "{self.conversation.title}"')

    def _delete(self, name: str) -> Outcome:
        talk = self.store.find(name)
        self.store.delete(talk.id)
        if talk.id == self.conversation.id:
            return self.resume(self._begin())
        return Shown(f'deleted {talk.id} "{talk.title}"')

    def _export(self, argument: str) -> Outcome:
        words = argument.split()
        force = "--force" in words
        name = " ".join(word for word in words if word != "--force")
        path = write_export(
            self.store,
            self.conversation.id,
            Path(name).expanduser() if name else None,
            force=force,
        )
        return Shown(f"written: {path}")

    def _copy(self, _: str) -> Outcome:
        said = reversed(self.store.messages(self.conversation.id))
        text = next((m.text for m in said if m.role == "assistant" and m.text), "")
        if not text:
            raise InputError("there is no answer to copy yet")
        return Copied(text)


def _begun(tried: Mapping[int, Mapping[str, Any]]) -> dict[str, Any] | None:
    """The record of an answer that did not come: the attempts that were made for it."""
    if not tried:
        return None
    return {"mode": "advanced", "attempts": [dict(tried[n]) for n in sorted(tried)]}


def describe(error: VgpuError) -> str:
    """An error for a person: one line, and beneath it the line of the source, where it has one."""
    details = str(getattr(error, "details", ""))
    if isinstance(error, InputsNeeded):
        return str(error)
    return "\n".join(part for part in (str(error), details) if part)
