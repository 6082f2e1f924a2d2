"""Opening the assistant in the background, one told step after another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.app.talk import Opener, Opening, Publish
from assistant.app.watched import Watched

if TYPE_CHECKING:
    from assistant.config import Config


def opener(settings: Config, traces: Path) -> Opener:
    """Makes the assistant of these settings, its machine watched; traces go to that folder."""

    def make_machine() -> Any:
        import vgpu

        return vgpu.Machine(engine=settings["engine"])

    def open_all(publish: Publish) -> Any:
        publish(Opening("importing the language model's library"))
        from assistant.answer import Assistant

        machine: Any = Watched(make_machine, traces, publish)
        assistant = Assistant(settings, machine=machine)
        name, _entry = settings.host()
        publish(Opening(f"finding {name}"))
        host = assistant.host
        publish(Opening(f"loading {host.label}"))
        host.load()
        publish(Opening("reading the router"))
        assistant.router  # noqa: B018  made at its first use
        publish(Opening("making the machine"))
        machine.machine  # noqa: B018
        return assistant

    return open_all
