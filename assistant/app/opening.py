"""Opening the assistant in the background, one told step after another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.app.talk import Opener, Opening, Publish
from assistant.app.watched import Watched

if TYPE_CHECKING:
    from assistant.config import Config

MakeOpener = Callable[["Config", Path], Opener]


class Openers:
    """Openers that share the host and the machine as long as the settings name the same ones."""

    def __init__(self) -> None:
        self._host: tuple[str, Any] | None = None
        self._machine: tuple[str, Any] | None = None

    def __call__(self, settings: Config, traces: Path) -> Opener:
        """Makes the assistant of these settings, its machine watched; traces go to that folder."""

        def open_all(publish: Publish) -> Any:
            publish(Opening("importing the language model's library"))
            from assistant.answer import Assistant

            name, _entry = settings.host()
            host = self._host[1] if self._host and self._host[0] == name else None
            machine = self._watched(str(settings["engine"]), traces, publish)
            assistant = Assistant(settings, host=host, machine=machine)
            publish(Opening(f"finding {name}"))
            host = assistant.host
            publish(Opening(f"loading {host.label}"))
            if settings["mode"] == "basic":
                host.open()
                publish(Opening("reading the router"))
                assistant.router  # noqa: B018  made at its first use
            else:  # advanced mode routes nothing
                publish(Opening("reading the writer"))
                assistant.advanced.writer.load()
            self._host = (name, host)
            publish(Opening("making the machine"))
            machine.machine  # noqa: B018
            return assistant

        return open_all

    def _watched(self, engine: str, traces: Path, publish: Publish) -> Watched:
        """The machine of before, if the engine is the same; who watches it is new every time."""

        def make() -> Any:
            if self._machine is None or self._machine[0] != engine:
                import vgpu

                self._machine = (engine, vgpu.Machine(engine=engine))
            return self._machine[1]

        return Watched(make, traces, publish)
