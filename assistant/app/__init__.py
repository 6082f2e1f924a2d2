"""The terminal app: a chat with the machine in view. `open_app` starts it.

Nothing heavy is imported before the first screen is drawn: PyTorch, transformers and the engines
are opened by a worker thread (`assistant.app.talk`), whose events the screens draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["open_app"]


def open_app(options: Mapping[str, Any] | None = None) -> int:
    """Runs the app until the person leaves. `options`: dotted keys, as `config.load` takes them.

    Raises InputError on settings that cannot be.
    """
    from assistant import config
    from assistant.app.app import AssistantApp
    from assistant.app.opening import opener

    settings = config.load(options)
    import tempfile
    from pathlib import Path

    data = Path(tempfile.mkdtemp())
    app = AssistantApp(opener(settings, data / "traces"), settings=settings, data=data)
    app.run()
    return app.return_code or 0
