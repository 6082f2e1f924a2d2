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
            if number % 4:
                text = f"say answer {number}, with `code`, **bold** and a list:\n\n- a\n- b\n"
            else:
                text = f"dot product {number}"
            await app.say(text)
            if number % 20 == 0:
                await settled(pilot)
            if number in (WARM, QUESTIONS):
                measured[number] = resident()
        assert len(app.chat.conversation.records) == QUESTIONS
        assert measured[QUESTIONS] <= 1.1 * measured[WARM]

    run(kept.app(), steps, size=(120, 40))
