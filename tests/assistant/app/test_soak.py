"""Two hundred questions in one session: memory stays flat, and so does the time an answer takes."""

from __future__ import annotations

import gc
import os

import psutil

from .conftest import settled
from .test_chat import run

QUESTIONS = 200
WARM = 60  # questions until everything that is kept is there


def test_memory_is_flat_over_two_hundred_questions(kept):
    measured = {}

    def resident():
        gc.collect()
        return psutil.Process(os.getpid()).memory_info().rss

    async def steps(pilot):
        app = pilot.app
        for number in range(1, QUESTIONS + 1):
            words = f"say {number}\n\n- `code`\n- **bold**\n" if number % 5 else f"dot {number}"
            await app.say(words)
            if number % 20 == 0:
                await settled(pilot)
            if number in (WARM, QUESTIONS):
                measured[number] = resident()
        assert len(app.chat.conversation.records) == QUESTIONS
        assert measured[QUESTIONS] <= 1.1 * measured[WARM]

    run(kept.app(), steps, size=(80, 24))
