"""The worker thread: it opens host and machine, and answers one question after another.

The screens never wait for it. They put jobs in, and take what happened out of `events` on a timer,
so that a fast stream costs the screen one update a tick and not one a token.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from assistant.slash import describe
from assistant.stopping import check, stoppable
from vgpu.errors import Cancelled, VgpuError

Work = Callable[[Any, threading.Event], Iterator[Any]]
Publish = Callable[[Any], None]
Opener = Callable[[Publish], Any]  # makes the assistant; publishes `Opening` for each step


@dataclass(frozen=True)
class Opening:
    """Host and machine are being opened; `what` is the step."""

    what: str


@dataclass(frozen=True)
class Opened:
    """Everything that answers is loaded, after that many seconds."""

    label: str
    seconds: float


@dataclass(frozen=True)
class Failed:
    """What a person can mend. `example` is a line that would do, where there is one."""

    text: str
    example: str = ""


@dataclass(frozen=True)
class Stopped:
    """The person stopped it."""


@dataclass(frozen=True)
class Began:
    """The job's turn has come."""


@dataclass(frozen=True)
class Ended:
    """The job is done, whatever came of it."""


@dataclass
class Job:
    """One piece of work for the assistant, in the turn `turn`. `unbegun` is told when its turn
    never comes: what was wrong, or nothing where it was stopped."""

    turn: str
    work: Work
    unbegun: Callable[[str], None] = lambda _: None
    cancelled: threading.Event = field(default_factory=threading.Event)
    began: bool = False


class Talk:
    """Jobs in, events out: pairs of (turn, event); the turn "" is the app itself."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._assistant: Any = None
        self._unread: Any = None  # a host of which only what routes was read
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pending: list[Job] = []
        self._turn = ""
        self._opening: threading.Event | None = None  # while it opens: what stops it
        self.events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts the thread; it opens host and machine at once."""
        self._thread = threading.Thread(target=self._run, name="talk", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops what runs, and lets the thread end."""
        self._stop_opening()
        self.cancel_all()
        self._jobs.put(None)

    def settle(self, seconds: float = 3.0) -> None:
        """After `stop`: waits so long for what runs to have stopped. Questions whose turn has not
        come by then are told that it never will."""
        if self._thread is not None:
            self._thread.join(seconds)
        with self._lock:
            left = [job for job in self._pending if not job.began]
            for job in left:
                job.began = True  # nobody tells them again
        for job in left:
            job.unbegun("")

    @property
    def assistant(self) -> Any:
        """What answers; None until it is opened."""
        return self._assistant

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        with self._lock:
            return bool(self._pending)

    def replace(self, opener: Opener) -> None:
        """Another assistant (another host, another mode) from the next job on."""
        self._opener = opener
        self.add("", self._reopen)

    def _reopen(self, _old: Any, cancelled: threading.Event) -> Iterator[Any]:
        self._assistant = None
        self._open(cancelled)
        yield from ()

    def add(self, turn: str, work: Work, unbegun: Callable[[str], None] = lambda _: None) -> Job:
        """Puts a job behind those that wait."""
        job = Job(turn, work, unbegun)
        with self._lock:
            self._pending.append(job)
        self._jobs.put(job)
        return job

    def cancel(self) -> bool:
        """Stops the job that runs (or comes next); False when there is none. While host and
        machine are opened, that is stopped, and with it all that waits for it."""
        if self._stop_opening():
            self.cancel_all()
            return True
        with self._lock:
            job = next((j for j in self._pending if j.turn and not j.cancelled.is_set()), None)
        if job is None:
            return False
        job.cancelled.set()
        return True

    def _stop_opening(self) -> bool:
        stop = self._opening
        if stop is not None:
            stop.set()
        return stop is not None

    def cancel_waiting(self) -> None:
        """Questions that have not begun are never begun."""
        with self._lock:
            for job in self._pending:
                if job.turn and not job.began:
                    job.cancelled.set()

    def cancel_all(self) -> None:
        """Every question. What the app itself has to do (other settings) is done all the same."""
        with self._lock:
            for job in self._pending:
                if job.turn:
                    job.cancelled.set()

    def drain(self, most: int = 4096) -> list[tuple[str, Any]]:
        """What happened since the last call, oldest first."""
        happened: list[tuple[str, Any]] = []
        while len(happened) < most:
            try:
                happened.append(self.events.get_nowait())
            except queue.Empty:
                break
        return happened

    def _run(self) -> None:
        with contextlib.suppress(Exception):  # `_open` has told it
            self._open(threading.Event())
        while (job := self._next()) is not None:
            ended: Any = Stopped()
            if not job.cancelled.is_set():
                ended = self._outcome(lambda job=job: self._perform(job), Ended())  # type: ignore[misc]
            if self._takes(job):
                problem = ended.text if isinstance(ended, Failed) else ""
                ended = self._outcome(lambda: job.unbegun(problem), ended)  # noqa: B023
            with self._lock:  # whoever sees the end of a job finds it gone, and the other way round
                self._pending.remove(job)
                self.events.put((job.turn, ended))

    def _takes(self, job: Job) -> bool:
        """Whether the job is still nobody's: it begins now, or is told that it never will."""
        with self._lock:
            mine, job.began = not job.began, True
        return mine

    def _next(self) -> Job | None:
        """The next job. While none waits, what of the host was left out for a quick start is read;
        a failure is for the turn that needs it to tell."""
        if self._unread is not None and self._jobs.empty():
            host, self._unread = self._unread, None
            with contextlib.suppress(VgpuError, MemoryError, OSError):
                host.load()
        return self._jobs.get()

    def _perform(self, job: Job) -> None:
        if self._assistant is None:
            self._open(job.cancelled)
        if not self._takes(job):
            raise Cancelled("stopped")
        self._turn = job.turn
        self.publish(Began())
        for event in job.work(self._assistant, job.cancelled):
            self.publish(event)
            if job.cancelled.is_set():
                raise Cancelled("stopped")

    def _open(self, stop: threading.Event) -> None:
        """What was fetched and made before `stop` was set is kept: the next call goes on there."""
        started = time.perf_counter()
        self._turn = ""
        self.publish(Opening("opening the assistant"))
        self._opening = stop
        try:
            with stoppable(stop):
                assistant = self._opener(self._publish_step)
        except Exception as error:
            self.publish(_failure(error))  # the line that tells of the opening ends with it
            raise
        finally:
            self._opening = None
        self._assistant = assistant
        self._unread = host = getattr(assistant, "host", None)
        label = getattr(host, "label", "") or type(assistant).__name__
        self.publish(Opened(label, time.perf_counter() - started))

    def _publish_step(self, event: Any) -> None:
        check()
        self.publish(event)

    def publish(self, event: Any) -> None:
        """Puts an event out, from the worker's side, in the turn that it works on."""
        self.events.put((self._turn, event))

    def _outcome(self, action: Callable[[], None], done: Any) -> Any:
        """`done`, or the event that says what went wrong, with its mend: no failure ends the
        thread."""
        try:
            action()
        except Exception as error:
            return _failure(error)
        return done


def _failure(error: Exception) -> Stopped | Failed:
    match error:
        case Cancelled():
            return Stopped()
        case VgpuError():
            return Failed(describe(error), getattr(error, "example", ""))
        case MemoryError():
            return Failed("out of memory: choose a smaller host with /host")
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return Failed(f"{where}{error.strerror or error}")
    return Failed(f"unexpected: {type(error).__name__}: {error}; the session goes on")
