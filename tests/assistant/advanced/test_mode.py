"""The loop: attempts, agreement, doubt; figures only when checked; kernels kept by name."""

import threading

import pytest

from assistant.advanced import saved
from assistant.advanced.task import of_record
from assistant.events import Done, Loading, Tried
from tests.assistant.scripted import BROKEN, PARALLEL, SERIAL
from vgpu.errors import Cancelled, InputError

from .conftest import COUNT

OTHER = SERIAL.replace("a[i] > 20", "a[i] > 19")


def test_two_that_agree_give_the_figure(mode_of, task):
    mode = mode_of(PARALLEL, SERIAL)
    events = list(mode.stream(task))
    assert isinstance(events[0], Loading) and isinstance(events[-1], Done)
    answer = events[-1].answer
    assert (answer.ok, answer.figure, answer.text) == (True, 3, "3")
    record = answer.record()
    assert record["figures"] == [3] and record["passes"] > 0
    assert record["cuda"].startswith("__global__ void above")
    assert ".visible .entry" in record["ptx"] and "exit" in record["program"]
    assert [a["passed"] for a in record["attempts"]] == [True, True]


def test_what_failed_is_told_to_the_next_writer_of_its_side(mode_of, task):
    mode = mode_of(BROKEN, PARALLEL, SERIAL)
    tried = [event for event in mode.stream(task) if isinstance(event, Tried)]
    assert [event.step for event in tried[:5]] == [
        "writing",
        "written",
        "done",
        "writing",
        "written",
    ]
    assert "kernel.cu:3" in tried[2].text and "kernel.cu:3" in tried[2].record["problem"]
    steps = [event.step for event in tried if event.number == 2]
    assert steps == ["writing", "written", "compiled", "checked", "done"]
    first, second, third = mode.writer.orders
    assert first.failed is None and second.failed is None
    assert "undeclared" in third.failed[1]
    assert first.temperature == second.temperature == 0 and third.temperature > 0
    assert not {e.name for e in first.examples} & {e.name for e in second.examples}


@pytest.mark.parametrize(
    ("texts", "doubt"),
    [
        ((BROKEN,), "4 attempts failed"),
        ((PARALLEL, BROKEN), "none confirms them"),
        ((PARALLEL, SERIAL.replace("a[i] > 20", "a[i] > 30")), "different figures"),
    ],
)
def test_no_figure_without_agreement(mode_of, task, texts, doubt):
    texts = texts if len(texts) == 1 else (*texts[:1], texts[1], texts[0], texts[1])
    answer = mode_of(*texts, attempts=4).answer(task)
    assert not answer.ok and answer.figure is None
    assert doubt in answer.text
    assert answer.record()["figures"] == []
    assert len(answer.attempts) == 4


def test_it_can_be_stopped(mode_of, task):
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        list(mode_of(PARALLEL).stream(task, stop))


def test_a_free_message_takes_what_the_host_says_of_the_result(mode_of):
    text = (
        "// gives out[0..n-1]; order matters\n"
        "__global__ void answer(const int* a, int n, int k, int* out) {\n"
        "    for (int i = threadIdx.x; i < n; i += 32) out[i] = a[i] * k;\n}\n"
    )
    answer = mode_of(text).answer("multiply each of [3, 1, 2, 9] by 11")
    assert answer.figure == [33, 11, 22, 99]
    assert answer.text == "33, 11, 22, 99"


def test_a_kernel_can_be_kept_and_called(mode_of, task, own_data):
    answer = mode_of(PARALLEL, SERIAL).answer(task)
    path = saved.save("above_twenty", answer)
    assert path == own_data / "kernels" / "above_twenty.cu"
    assert saved.names() == ["above_twenty"]
    mode = mode_of(PARALLEL)
    again = mode.answer("above_twenty of 1, 30, 21, 20, 50")
    assert again.figure == 3 and mode.writer.orders == []
    with pytest.raises(InputError, match="already"):
        saved.check_name("above_twenty")
    with pytest.raises(InputError, match="takes 1 list; the message gives 2 lists and 1 number"):
        mode.answer("above_twenty of 5, [1, 2], [3]")


def test_what_did_not_pass_is_not_kept(mode_of, task):
    answer = mode_of(BROKEN, attempts=1).answer(task)
    with pytest.raises(InputError, match="no program passed"):
        saved.save("bad", answer)
    with pytest.raises(InputError, match="name"):
        saved.check_name("../evil")


def test_the_task_of_a_file_is_checked():
    with pytest.raises(InputError, match='no parameter "m"'):
        of_record(COUNT | {"inputs": {"a": [1], "n": 1, "m": 2}})
    with pytest.raises(InputError, match="a: expected a list"):
        of_record(COUNT | {"inputs": {"a": 1, "n": 1}})
