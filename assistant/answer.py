"""A question's way to its answer: route it, run the calls on the machine, say what came out.

In advanced mode the host writes the program (`assistant.advanced`), with the same host and the
same machine. A kernel that was kept by name is run in either mode, without a router.

Figures come from `Run.outputs` alone. Nothing here adds, compares or corrects numbers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import prompts
from assistant.config import Config
from assistant.console import unmarked
from assistant.events import Decided, Done, Event, Figure, Loading, Running, Text
from assistant.router import Before, Call, Routed
from assistant.router.routed import shortened
from vgpu.errors import Cancelled, InputError

if TYPE_CHECKING:
    from assistant.advanced.mode import AdvancedMode
    from assistant.hosts import Host
    from assistant.router import Router
    from vgpu import Machine

History = Sequence[dict[str, str]]
_MOST_CALL = 200  # characters of a call in a line for a person
_YES_NO = {"isprime": {0: "no", 1: "yes"}}


@dataclass(frozen=True)
class Computed:
    """A call that ran. `figure` is None when a kernel's status says that there is none; `written`
    is how a person reads it."""

    call: Call
    figure: Any
    problem: str | None
    passes: int = 0
    words: int = 0
    seconds: float = 0.0
    rounds: str = ""
    written: str = ""

    @property
    def said(self) -> str:
        """The figure for a person with what it is the figure of, or why there is none: Markdown."""
        from assistant.wording import words

        asked, call = words(self.call), shortened(str(self.call), _MOST_CALL)
        if self.problem:
            return f"{asked}: {self.problem} · {call}"
        word = _YES_NO.get(self.call.kernel, {}).get(self.figure) if _scalar(self.figure) else None
        figure = f"{word} ({self.figure})" if word else self.written
        rounded = f", rounded {self.rounds}" if self.rounds else ""
        passes = f"{self.passes:,} pass" + ("es" if self.passes != 1 else "")
        colon = "" if asked.endswith("?") else ":"
        return f"{asked}{rounded}{colon} **{figure}** · {call} · {passes}"


def _scalar(figure: Any) -> bool:
    return isinstance(figure, int)


def _calls_kept(question: str) -> bool:
    """Whether the message calls a kernel that was kept by name. Raises InputError on a kept file
    that cannot be read."""
    from assistant.advanced import saved

    return saved.named_in(question) is not None


@dataclass(frozen=True)
class Answer:
    """What is said and what it rests on. `ok` is False when a figure was asked for and not had."""

    question: str
    routed: Routed
    computed: tuple[Computed, ...] = ()
    chat: str = ""
    host: str = ""
    engine: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def ok(self) -> bool:
        if self.routed.verdict == "unsure":
            return False
        return all(c.problem is None for c in self.computed)

    @property
    def text(self) -> str:
        if self.routed.verdict == "unsure":
            return f"Nothing was computed: {self.routed.reason}."
        if self.routed.verdict == "chat":
            return self.chat
        return "\n".join(c.said for c in self.computed)

    @property
    def before(self) -> Before | None:
        """What the next message may lean on: the last figure; None when there is none here."""
        given = [c for c in self.computed if c.problem is None]
        return Before(given[-1].written, given[-1].call) if given else None

    @property
    def footing(self) -> str:
        """One line on where the answer comes from."""
        chosen = f"chosen by {self.host} ({self.routed.router}, {self.routed.confidence:.2f})"
        if self.routed.verdict == "chat":
            return f"(plain chat by {self.host}: not computed)"
        if not self.computed:
            return ""
        words = sum(c.words for c in self.computed)
        return (
            f"computed in the network · {words:,} words · {self.seconds:.2f} s · "
            f"{self.engine} · {chosen}"
        )

    def record(self) -> dict[str, Any]:
        """The JSON shape of `ask --json`."""
        return {
            "answer": self.text if self.routed.verdict == "chat" else unmarked(self.text),
            "figures": [c.figure for c in self.computed if c.problem is None],
            "calls": [
                {
                    **c.call.record(),
                    "figure": c.figure,
                    "written": c.written,
                    "problem": c.problem,
                    "rounds": c.rounds or None,
                    "passes": c.passes,
                    "words": c.words,
                    "seconds": c.seconds,
                }
                for c in self.computed
            ],
            "verdict": self.routed.verdict,
            "router": self.routed.router,
            "confidence": self.routed.confidence,
            "host": self.host,
            "engine": self.engine,
            "passes": sum(c.passes for c in self.computed),
            "words": sum(c.words for c in self.computed),
            "seconds": self.seconds,
        }


class Assistant:
    """Host, router and machine, each made at its first use and kept."""

    def __init__(
        self,
        config: Config,
        *,
        host: Host | None = None,
        router: Router | None = None,
        machine: Machine | None = None,
    ) -> None:
        self.config = config
        self._given = {"host": host, "router": router, "machine": machine}

    @cached_property
    def host(self) -> Any:
        from assistant.hosts import open_host

        return self._given["host"] or open_host(self.config)

    @cached_property
    def router(self) -> Any:
        from assistant.router.opening import open_router

        return self._given["router"] or open_router(self.config, self.host)

    @cached_property
    def machine(self) -> Any:
        import vgpu

        return self._given["machine"] or vgpu.Machine(engine=self.config["engine"])

    @cached_property
    def advanced(self) -> AdvancedMode:
        """Advanced mode on this host and this machine: neither is there twice."""
        from assistant.advanced.mode import AdvancedMode

        return AdvancedMode(self.config, host=lambda: self.host, machine=self.machine)

    def answer(self, question: str, before: Before | None = None, history: History = ()) -> Answer:
        """What basic mode answers, whatever kernels a person has kept. Raises what `stream`
        raises."""
        for event in self._routed(question, threading.Event(), before, history):
            if isinstance(event, Done) and isinstance(event.answer, Answer):
                return event.answer
        raise AssertionError("a turn ends with Done")

    def stream(
        self,
        question: str,
        cancelled: threading.Event | None = None,
        *,
        before: Before | None = None,
        history: History = (),
    ) -> Iterator[Event]:
        """What happens while the question is answered, `Done` last.

        Raises `VgpuError` when a host, a kernel or the machine fails, or it is not text;
        `Cancelled` soon after `cancelled` is set. `before` is what the message may lean on ("and
        times 3?"), `history` the messages of plain chat before it: both are for basic mode.
        `seconds` of the answer counts from the moment that everything is loaded.
        """
        stop = cancelled or threading.Event()
        if self.config["mode"] == "advanced" or _calls_kept(question):
            yield from self.advanced.stream(question, stop)
        else:
            yield from self._routed(question, stop, before, history)

    def _routed(
        self, question: str, stop: threading.Event, before: Before | None, history: History
    ) -> Iterator[Event]:
        """Basic mode."""
        try:
            question.encode()
        except UnicodeEncodeError:
            raise InputError("the question is not valid UTF-8 text: type it again") from None
        given = self._given["host"]
        name, entry = ("", {}) if given else self.config.host()
        yield Loading(f"loading {given.label if given else entry.get('label', name)}")
        router, _machine = self.router, self.machine
        self.host.open()
        started = time.perf_counter()
        routed = router.route(question, before)
        yield Decided(routed)
        computed: list[Computed] = []
        pieces: list[str] = []
        for call in routed.calls if routed.verdict == "calls" else ():
            yield Running(call)
            computed.append(self._compute(call, stop))
            yield Figure(computed[-1])
        if routed.verdict == "chat":
            for piece in self._chat(question, history):
                if stop.is_set():
                    raise Cancelled("stopped")
                pieces.append(piece)
                yield Text(piece)
        yield Done(Answer(
            question, routed, tuple(computed), "".join(pieces).strip(), self.host.label,
            self.config["engine"], time.perf_counter() - started,
        ))  # fmt: skip

    def _compute(self, call: Call, stop: threading.Event) -> Computed:
        """Runs the call, and those inside it, on the machine.

        Arguments that a kernel does not take are the answer's `problem`, not an error.
        """
        import codegen
        from codegen import composition

        def progress(_passes: int) -> None:
            if stop.is_set():
                raise Cancelled("stopped")

        launch = composition.launcher(
            self.machine, max_passes=self.config["max_passes"], progress=progress
        )
        outcome = composition.evaluate(call.nested(), launch)
        kernels = [codegen.catalog()[step.call.kernel] for step in outcome.steps]
        runs = [step.run for step in outcome.steps if step.run is not None]
        figure = outcome.result
        written = "" if figure is None else kernels[-1].write(figure)
        return Computed(
            call,
            figure if figure is None or not kernels[-1].written else written,
            outcome.problem,
            sum(run.passes for run in runs),
            sum(run.words for run in runs),
            sum(run.seconds for run in runs),
            rounds=""
            if outcome.problem
            else next((k.rounds for k in kernels[::-1] if k.rounds), ""),
            written=written,
        )

    def _chat(self, question: str, history: History) -> Iterator[str]:
        system = prompts.parsed(prompts.text("chat.yaml"))["system"].strip()
        messages = [{"role": "system", "content": system}] if system else []
        messages += history
        messages.append({"role": "user", "content": question})
        yield from self.host.chat(messages, self.config["chat.max_tokens"])
