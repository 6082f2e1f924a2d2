"""Kernels kept by name: which messages call them, and what the data become."""

import pytest

import vgpu
from assistant import config
from assistant.advanced import saved
from assistant.advanced.arguments import task_of
from assistant.answer import Assistant
from assistant.events import Done
from tests.assistant.scripted import PARALLEL
from vgpu.errors import InputError

COUNTED = PARALLEL.replace("above", "NAME")
SCALED = """// gives out[0..n-1]; order matters
__global__ void NAME(const int* a, int n, int k, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) out[i] = a[i] * k;
}
"""
PAIRS = """// gives out[0]; order matters
__global__ void NAME(const int* a, int n, const int* b, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) atomicAdd(out, a[i] * b[i]);
}
"""
ROWS = """// gives out[0..rows-1]; order matters
__global__ void NAME(const int* a, int rows, int cols, int* out) {
    int i = threadIdx.x;
    if (i < rows) for (int j = 0; j < cols; j++) out[i] += a[i * cols + j];
}
"""


@pytest.fixture
def keep(own_data):
    def put(name, text):
        folder = own_data / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.cu").write_text(f"// Task: a task\n{text.replace('NAME', name)}")
        return saved.load(name)

    return put


@pytest.mark.parametrize(
    ("message", "called"),
    [
        ("run above on [1, 2, 3]", True),
        ("Run the kernel above with 1, 30", True),
        ("above of 1, 30, 21", True),
        ("above [1, 2]", True),
        ("above: 4 5 6", True),
        ("How many of 3, 4 are above 2?", False),
        ("the above 3 numbers", False),
        ("Above 20", False),
        ("run aboves on [1]", False),
    ],
)
def test_a_word_of_the_language_calls_only_in_the_place_of_a_call(keep, message, called):
    keep("above", COUNTED)
    assert (saved.named_in(message) is not None) is called


def test_any_other_name_calls_wherever_it_stands_and_the_longest_wins(keep):
    keep("scale_2", SCALED)
    keep("scale_2b", SCALED)
    assert saved.named_in("What does scale_2 give for [1], 3?").name == "scale_2"
    assert saved.named_in("scale_2 or scale_2b").name == "scale_2b"


@pytest.mark.parametrize(
    ("text", "message", "inputs"),
    [
        (SCALED, "run it_k on [1, 2, 3] with 5", {"a": [1, 2, 3], "n": 3, "k": 5}),
        (SCALED, "it_k of 1, 2, 3, 4, 5, 6 by -7", {"a": [1, 2, 3, 4, 5, 6], "n": 6, "k": -7}),
        (SCALED, "with the first one, 4, run it_k on [8, 9]", {"a": [8, 9], "n": 2, "k": 4}),
        (PAIRS, "it_k of [1, 2] and [3, 4]", {"a": [1, 2], "n": 2, "b": [3, 4]}),
        (ROWS, "it_k of [[1, 2, 3], [4, 5, 6]]", {"a": [1, 2, 3, 4, 5, 6], "rows": 2, "cols": 3}),
        (COUNTED, "it_k 8", {"a": [8], "n": 1}),
    ],
)
def test_places_of_the_message_become_arguments(keep, text, message, inputs):
    assert task_of(keep("it_k", text), message).inputs == inputs


@pytest.mark.parametrize(
    ("text", "message", "said"),
    [
        (SCALED, "it_k of [1, 2]", "takes 1 list and 1 number; the message gives 1 list"),
        (SCALED, "it_k", "the message gives no number"),
        (PAIRS, "it_k of [1, 2] and [3]", "b has 1 numbers, expected 2"),
        (SCALED, "it_k of [1, 2] by 9999999999", "k: 9,999,999,999 does not fit int"),
        (SCALED, "it_k of [1, 2] by 1.5", "not a whole number"),
    ],
)
def test_data_that_do_not_fit_are_told(keep, text, message, said):
    with pytest.raises(InputError) as error:
        task_of(keep("it_k", text), message)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [("dot", "prebuilt"), ("a b", "expected a name"), ("int", "no kernel can have this name")],
)
def test_names_that_cannot_be(name, said):
    record = {
        "figures": [1], "chosen": 1, "task": {"said": "t"},
        "attempts": [{"number": 1, "cuda": PARALLEL.partition("\n")[2], "gives": "out[0]",
                      "order_free": True}],
    }  # fmt: skip
    with pytest.raises(InputError, match=said):
        saved.save_record(name, record)
    assert saved.names() == []


def test_basic_mode_runs_a_kept_kernel_without_host_and_router(keep):
    class Nothing:
        label = "none"

        def __getattr__(self, name):
            raise AssertionError(f"{name} is not needed")

    keep("scaled", SCALED)
    settings = config.load({"engine": "interpreter"})
    assistant = Assistant(
        settings, host=Nothing(), router=Nothing(), machine=vgpu.Machine(engine="interpreter")
    )
    events = list(assistant.stream("run scaled on [1, 2, 3] with 7"))
    assert isinstance(events[-1], Done)
    answer = events[-1].answer
    assert (answer.figure, answer.text) == ([7, 14, 21], "7, 14, 21")
    assert answer.record()["kept"] == "scaled" and answer.record()["router"] == "name"
    assert answer.footing.startswith("kept kernel scaled(a[3], n = 3, k = 7) · ")
