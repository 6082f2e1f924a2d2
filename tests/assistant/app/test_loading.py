"""The line of progress while host and machine are opened."""

from __future__ import annotations

from assistant.app.loading import LoadingLine


def line() -> LoadingLine:
    made = LoadingLine()
    made.update = lambda *_: None
    made.step("loading a host")
    return made


def test_counted_progress_has_a_share_and_an_estimate():
    made = line()
    made.printed("\r\033[Kfetching model.safetensors, MB: 50 / 200 part 1")
    made._step_began -= 10
    assert "fetching model.safetensors" in made.words()
    assert "█████░" in made.words()
    assert "about 30 s left" in made.words()


def test_a_note_replaces_the_step_and_controls_are_shown_harmless():
    made = line()
    made.printed("converting \x1b[31mSmolLM2\n")
    assert "converting ␛[31mSmolLM2" in made.words()
    made.printed("\n")
    assert "converting" in made.words()


def test_the_last_opening_tells_how_long_this_one_takes():
    made = line()
    made.expect(8.0)
    made._began -= 4
    assert "about 4 s left" in made.words()
    made._began -= 10
    assert "about 1 s left" in made.words()
