"""Recorded runs: what is shown is what the network held; every key of the panel."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

import codegen
from assistant.app.machine import activity
from assistant.app.machine.pane import lane_ranges
from assistant.app.opening import Openers
from assistant.app.recording import Recording
from assistant.app.watched import RunBegan, RunEnded, Watched
from vgpu import isa
from vgpu.errors import RunError
from vgpu.verify import run_replay

from .conftest import ask, drawn, open_run, screen_text, told, until
from .test_chat import run

RUNS = [
    ("dot", ([1, 2, 3], [4, 5, 6])),
    ("sort", ([5, 3, 9, 1, 22, 7],)),
    ("gcd", (48, 36)),
    ("matmul", ([[1, 2], [3, 4]], [[5, 6], [7, 8]])),
]


def recorded(machine, name, args, path: Path):
    kernel = codegen.catalog()[name]
    launch = kernel.bind(args)
    run = machine.run(
        kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block,
        trace=path,
    )  # fmt: skip
    return Recording(path, kernel.program()), run


@pytest.mark.parametrize(("name", "args"), RUNS)
def test_memory_at_the_end_is_the_machines(machine, tmp_path, name, args):
    recording, run = recorded(machine, name, args, tmp_path / "run.jsonl")
    memory = machine.read_memory()
    assert recording.read_all() == run.passes
    assert recording.ended == "finished"
    assert bytes(recording.state(run.passes).memory[: len(memory)]) == memory


@pytest.mark.parametrize(("name", "args"), RUNS[:2])
def test_any_pass_is_the_same_however_it_is_reached(machine, tmp_path, name, args):
    recording, run = recorded(machine, name, args, tmp_path / "run.jsonl")
    recording.read_all()
    recording._apart = 8
    forwards = [recording.state(n).copy() for n in range(run.passes + 1)]
    for n in [run.passes, 3, 0, run.passes // 2, 1, run.passes - 1]:
        state = recording.state(n)
        assert (state.pc, state.predicates, state.changed, state.stored) == (
            forwards[n].pc, forwards[n].predicates, forwards[n].changed, forwards[n].stored,
        )  # fmt: skip
        assert (state.registers == forwards[n].registers).all()
        assert state.memory == forwards[n].memory


def test_a_growing_trace_is_read_as_it_grows(machine, tmp_path):
    whole, run = recorded(machine, *RUNS[0], tmp_path / "whole.jsonl")
    data = (tmp_path / "whole.jsonl").read_bytes()
    part = tmp_path / "part.jsonl"
    recording = Recording(part, whole.program)
    assert recording.poll() == 0
    seen = [0]
    for cut in range(0, len(data), 997):
        part.write_bytes(data[: cut + 997])
        recording.read_all()
        seen.append(recording.passes)
        recording.state(recording.passes)
    assert seen == sorted(seen) and seen[-1] == run.passes
    assert recording.state(run.passes).memory == whole_at(whole, run.passes).memory


def whole_at(recording, number):
    recording.read_all()
    return recording.state(number)


def test_what_is_no_trace_has_no_passes(machine, tmp_path):
    program = codegen.catalog()["add"].program()
    (tmp_path / "bad").write_bytes(b"\x00not a trace\n{}\n[1]\n")
    for path in (None, tmp_path / "none", tmp_path / "bad", tmp_path):
        assert Recording(path, program).read_all() == 0


def test_a_trace_that_cannot_be_written_does_not_cost_the_run(machine, tmp_path, monkeypatch):
    told = []
    watched = Watched(lambda: machine, tmp_path / "traces", told.append)
    real = type(machine).run

    def failing(self, *args, trace=None, **more):
        if trace is not None:
            raise RunError(f"cannot write the trace {trace}: No space left on device")
        return real(self, *args, **more)

    monkeypatch.setattr(type(machine), "run", failing)
    kernel = codegen.catalog()["add"]
    launch = kernel.bind((2, 3))
    run = watched.run(kernel.program(), launch.inputs, launch.outputs)
    assert launch.result(run.outputs) is not None
    assert [type(e) for e in told if isinstance(e, RunBegan)] == [RunBegan, RunBegan]
    assert any("going on without it" in e.problem for e in told if isinstance(e, RunEnded))


def test_a_machine_that_serves_again_is_watched_by_whom_it_serves(tmp_path):
    """Two openings share the machine, and neither sees the other's runs."""
    openers, kernel = Openers(), codegen.catalog()["gcd"]
    told: tuple[list, list] = ([], [])
    watched = [
        openers._watched("sparse", tmp_path / name, events.append)
        for name, events in zip("ab", told, strict=True)
    ]
    assert watched[0].machine is watched[1].machine
    assert not told[0] and not told[1]
    for number, machine in enumerate(watched):
        launch = kernel.bind((12, 18))
        machine.run(kernel.program(), launch.inputs, launch.outputs)
        ended = [sum(isinstance(event, RunEnded) for event in events) for events in told]
        assert ended == [1, number]
    assert all(len(list((tmp_path / name).iterdir())) == 1 for name in "ab")


def size_until(path: Path, number: int) -> int:
    """Bytes of the trace's records up to pass `number`, without the first line."""
    lines = path.read_bytes().splitlines(keepends=True)[1:]
    until = next(i for i, line in enumerate(lines) if line.startswith(b'{"pass":%d,' % number))
    return sum(map(len, lines[: until + 1]))


def test_a_trace_grows_no_further_than_it_may(machine, tmp_path, monkeypatch):
    """The run goes on to its end; what is there is as ever, and what is missing is counted."""
    whole, run = recorded(machine, *RUNS[0], tmp_path / "whole.jsonl")
    most = size_until(tmp_path / "whole.jsonl", 10)
    monkeypatch.setattr("assistant.app.watched.MOST_TRACE", most)
    monkeypatch.setattr("assistant.app.recording.MOST_TRACE", most)
    told = []
    watched = Watched(lambda: machine, tmp_path / "traces", told.append)
    kernel = codegen.catalog()["dot"]
    launch = kernel.bind(RUNS[0][1])
    again = watched.run(
        kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block
    )
    assert again.outputs == run.outputs and again.passes == run.passes
    ((_, path),) = watched.take_finished()
    recording = Recording(path, kernel.program())
    assert recording.read_all() == 10 and recording.full
    assert (recording.ended, recording.left_out) == ("capped", run.passes - 10)
    assert path.stat().st_size < most + 2000
    assert recording.state(10).memory == whole_at(whole, 10).memory
    assert run_replay(path, "interpreter").failed == 0


def test_old_traces_give_way_to_new_ones(machine, tmp_path, monkeypatch):
    _, run = recorded(machine, *RUNS[0], tmp_path / "whole.jsonl")
    size = (tmp_path / "whole.jsonl").stat().st_size
    monkeypatch.setattr("assistant.app.watched.MOST_TRACE", size)
    monkeypatch.setattr("assistant.app.watched.MOST_TRACES", 4 * size + 1000)
    watched = Watched(lambda: machine, tmp_path / "traces", lambda event: None)
    kernel = codegen.catalog()["dot"]
    launch = kernel.bind(RUNS[0][1])
    for _ in range(6):
        watched.run(
            kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block
        )
    finished = [path for _, path in watched.take_finished()]
    assert [path.exists() for path in finished] == [False, False, True, True, True, True]


def test_the_panel_says_what_was_left_out(kept, tmp_path, machine, monkeypatch):
    recorded(machine, *RUNS[0], tmp_path / "whole.jsonl")
    most = size_until(tmp_path / "whole.jsonl", 10)
    monkeypatch.setattr("assistant.app.watched.MOST_TRACE", most)
    monkeypatch.setattr("assistant.app.recording.MOST_TRACE", most)

    async def steps(pilot):
        panel = pilot.app.chat.machine
        await ask(pilot, "dot product")
        for words in ("pass 10 of 10 recorded, 33 left out", "43 of 10,000 passes allowed"):
            await until(pilot, lambda words=words: words in screen_text(pilot.app))
        assert panel.number == 10
        for run_ in pilot.app.chat.conversation.records[0].runs:
            run_.trace.unlink()
        await pilot.press("alt+up", "enter")
        await until(pilot, lambda: told(pilot.app, "gave way"))

    run(kept.app(), steps, size=(160, 50))


def test_every_instruction_has_its_activity():
    table = activity.table()
    assert table["isa"] == isa.FINGERPRINT, "python -m assistant.app.machine.activity"
    assert set(table["active"]) == set(isa.OPS)
    for shares in (activity.of_pass(["mul", None]), activity.of_pass([])):
        assert len(shares) == len(table["neurons"]) and all(0 <= s <= 1 for s in shares)
    assert sum(activity.of_pass(["mad"])) > sum(activity.of_pass([None]))


def test_activity_is_what_the_network_does():
    names = ["mul"]
    assert activity.measure(names)["active"] == {n: activity.table()["active"][n] for n in names}


def test_lane_ranges():
    assert lane_ranges([0, 1, 2, 3, 7]) == "0-3,7"
    assert lane_ranges([]) == ""


def test_the_panel_opens_by_itself_where_there_is_room(kept):
    async def wide(pilot):
        assert pilot.app.chat.machine.display and pilot.app.chat.conversation.display

    async def narrow(pilot):
        chat = pilot.app.chat
        assert not chat.machine.display
        await pilot.press("f2")
        assert chat.machine.display and not chat.conversation.display
        assert pilot.app.focused is chat.prompt
        await pilot.press("f6")
        assert pilot.app.focused is chat.machine
        await pilot.press("f2")
        assert chat.conversation.display and pilot.app.focused is chat.prompt

    run(kept.app(), wide, size=(120, 40))
    run(kept.app(), narrow, size=(80, 24))


def test_a_burst_of_letters_is_typed_whole(kept):
    """Whatever has the focus when it begins: keys come faster than the focus moves."""

    async def steps(pilot):
        app, chat = pilot.app, pilot.app.chat
        for keys in (["f2"], ["f2", "f2"], ["f2", "f6"], ["alt+up"]):
            chat.prompt.put("")
            await pilot.press(*keys)
            for letter in "What is max x 7?":
                app.post_message(events.Key("space" if letter == " " else letter, letter))
            await until(pilot, lambda: chat.prompt.text == "What is max x 7?")
            await pilot.press("f6", "escape")

    run(kept.app(), steps, size=(120, 40))


def test_every_key_of_the_panel(kept):
    async def steps(pilot):
        app, panel = pilot.app, pilot.app.chat.machine
        await ask(pilot, "dot product")
        await until(pilot, lambda: panel.number == 43)
        await pilot.press("alt+up")
        await open_run(pilot)
        assert panel.number == 0
        for key, number in (
            ("right", 1), ("full_stop", 2), ("left", 1), ("comma", 0), ("left", 0),
            ("shift+right", 10), ("shift+left", 0), ("right", 1), ("home", 0), ("end", 43),
        ):  # fmt: skip
            await pilot.press(key)
            await until(pilot, lambda number=number: panel.number == number)
        await pilot.press("home", "x")
        await until(pilot, lambda: "hex" in screen_text(app))
        await pilot.press("x", "plus", "plus", "minus")
        await until(pilot, lambda: panel._speed == 3)
        for key in (
            "up",
            "down",
            "left_square_bracket",
            "right_square_bracket",
            "m",
            "M",
            "v",
            "v",
        ):
            await pilot.press(key)
        await pilot.press("n", "p")
        assert panel.index == 0
        panel._speed = 2
        await pilot.press("space")
        await until(pilot, lambda: panel.playing)
        await until(pilot, lambda: panel.number > 1)
        await pilot.press("space")
        await until(pilot, lambda: not panel.playing)
        stopped = panel.number
        await pilot.pause(0.3)  # three ticks of a panel that plays; a slow machine only has fewer
        assert panel.number == stopped
        await pilot.press("f6")
        assert app.focused is app.chat.prompt
        await pilot.press("f6", "escape")
        assert app.focused is app.chat.prompt

    run(kept.app(), steps, size=(140, 50))


def test_the_bar_is_scrubbed_with_the_mouse(kept):
    async def steps(pilot):
        panel = pilot.app.chat.machine
        await ask(pilot, "dot product")
        await until(pilot, lambda: panel.number == 43)
        await pilot.click("#run-bar", offset=(0, 1))
        await until(pilot, lambda: panel.number == 0)
        await pilot.click("#run-bar", offset=(panel.bar.size.width // 2, 1))
        await until(pilot, lambda: panel.number > 0 and panel._goal is None)
        assert 18 < panel.number < 26

    run(kept.app(), steps, size=(140, 50))


def test_the_panel_shows_lanes_registers_words_and_layers(kept):
    async def steps(pilot):
        panel = pilot.app.chat.machine
        await ask(pilot, "dot product")
        await pilot.press("alt+up")
        await open_run(pilot)
        for key, number in zip(["shift+right"] + ["left"] * 7, range(10, 2, -1), strict=True):
            await pilot.press(key)
            await until(pilot, lambda number=number: panel.number == number)
        await drawn(pilot)
        text = screen_text(pilot.app)
        for part in ("pass 3 of 43", "4 lanes", "▶", "preds", "r8", "words of this pass",
                     "memory", "layers lit", "of 10,000 passes allowed", "dot.cu:"):  # fmt: skip
            assert part in text, part
        assert "*" in text

    run(kept.app(), steps, size=(160, 50))


def test_a_click_on_the_badge_opens_the_run(kept):
    async def steps(pilot):
        await ask(pilot, "dot product")
        await pilot.click("Badge")
        await until(pilot, lambda: pilot.app.focused is pilot.app.chat.machine)

    run(kept.app(), steps, size=(100, 40))


def test_an_answer_without_a_run_says_so(kept):
    async def steps(pilot):
        await ask(pilot, "say words")
        await pilot.press("alt+up", "enter")
        await until(pilot, lambda: told(pilot.app, "ran nothing"))

    run(kept.app(), steps)
