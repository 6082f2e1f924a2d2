"""The terminal app: a chat with the machine in view. `open_app` starts it.

Nothing heavy is imported before the first screen is drawn: PyTorch, transformers and the engines
are opened by a worker thread (`assistant.app.talk`), whose events the screens draw.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assistant.app.app import AssistantApp

__all__ = ["open_app", "run_to_end"]


def open_app(options: Mapping[str, Any] | None = None, resume: str | None = None) -> int:
    """Runs the app until the person leaves. `options`: dotted keys, as `config.load` takes them;
    `resume`: a conversation to go on with, "" for the latest.

    Raises InputError on settings that cannot be, or when there is no such conversation.
    """
    # What is imported and first drawn stays: to look through it for garbage takes a tenth of the
    # time. The app goes on with it once it has painted.
    gc.disable()
    from assistant import config
    from assistant.app.app import AssistantApp
    from assistant.app.opening import Openers
    from assistant.conversations import open_store
    from assistant.slash import Session

    settings = config.load(options)
    store = open_store()
    try:
        chosen = None
        if resume is not None:
            chosen = store.find(resume) if resume else store.latest()
        app = AssistantApp(
            Session(settings, store, options), Openers(),
            history=config.data_dir() / "history.jsonl", resume=chosen,
        )  # fmt: skip
        return run_to_end(app)
    finally:
        gc.enable()
        store.close()


def run_to_end(app: AssistantApp) -> int:
    """The app's exit status, once what ran in it has stopped and what waited is kept."""
    try:
        app.run()
    finally:
        app.talk.stop()
        app.talk.settle()
    return app.return_code or 0
