"""Pictures of the app for the README, taken from the app itself with the configured host.

python -m assistant.app.screenshots [FOLDER]        writes docs/screenshots/*.svg
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from assistant import config
from assistant.app.app import AssistantApp
from assistant.app.opening import MakeOpener, Openers
from assistant.conversations import open_store
from assistant.slash import Session

FOLDER = Path("docs/screenshots")
QUESTION = "What is the dot product of [1, 2, 3] and [4, 5, 6]?"
TALK = "Hello! What can you do?"
KERNEL = """// run: --in a=3,1,4,1,5,9,2,6 --out total=1 --block 8
__global__ void add_all(const int *a, int *total) {
    __shared__ int part[8];
    int i = threadIdx.x;
    part[i] = a[i];
    for (int half = 4; half > 0; half /= 2) {
        __syncthreads();
        if (i < half) part[i] += part[i + half];
    }
    if (i == 0) *total = part[0];
}
"""
Steps = Callable[[Pilot[Any]], Awaitable[None]]


async def _settled(pilot: Pilot[Any]) -> None:
    app: Any = pilot.app
    while app.talk.assistant is None or app.talk.busy or not app.talk.events.empty():
        await pilot.pause(0.1)
    await pilot.pause(0.5)


async def _chat(pilot: Pilot[Any]) -> None:
    app: Any = pilot.app
    for question in (QUESTION, "Is 1000003 prime?", TALK):
        await app.say(question)
        await _settled(pilot)


async def _machine(pilot: Pilot[Any]) -> None:
    app: Any = pilot.app
    await app.say(KERNEL)
    await _settled(pilot)
    await pilot.press("alt+up", "enter")
    while app.chat.machine.run is None:
        await pilot.pause(0.1)
    await pilot.press(*["shift+right"] * 3, *["right"] * 4)
    await pilot.pause(0.5)


async def _kernel(pilot: Pilot[Any]) -> None:
    await _machine(pilot)
    await pilot.press("f3", "f8")
    await pilot.pause(2)


PICTURES: dict[str, tuple[tuple[int, int], str, Steps]] = {
    "chat": ((90, 26), "dark", _chat),
    "machine": ((150, 44), "dark", _machine),
    "kernel": ((160, 40), "dark", _kernel),
    "light": ((90, 26), "light", _chat),
}


async def take(
    folder: Path, names: list[str] | None = None, openers: MakeOpener | None = None
) -> None:
    """Writes the pictures, one app a picture, all with one host and one machine."""
    folder.mkdir(parents=True, exist_ok=True)
    openers = openers or Openers()
    with tempfile.TemporaryDirectory() as kept:
        for name in names or list(PICTURES):
            size, theme, steps = PICTURES[name]
            settings = config.load({"theme": theme})  # whatever the person prefers
            store = open_store(Path(kept) / f"{name}.db")
            app = AssistantApp(Session(settings, store), openers)
            async with app.run_test(size=size) as pilot:
                app.chat.prompt.cursor_blink = False
                await _settled(pilot)
                await steps(pilot)
                picture = app.export_screenshot(title="assistant", simplify=True)
                (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
            store.close()


if __name__ == "__main__":
    asyncio.run(take(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
