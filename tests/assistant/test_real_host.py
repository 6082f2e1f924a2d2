"""The default host itself: routing and plain chat. Skipped when it cannot be had."""

import pytest

from assistant import config
from assistant.router import Before, Call
from assistant.router.opening import open_router


@pytest.fixture(scope="module")
def router(real_host):
    return open_router(config.load(), real_host)


@pytest.mark.parametrize(
    ("question", "call"),
    [
        ("What is the dot product of [1, 2, 3] and [4, 5, 6]?", "dot([1, 2, 3], [4, 5, 6])"),
        ("dot product of [7, -8] and [11, 2]", "dot([7, -8], [11, 2])"),
        ("subtract 3 from 10", "sub(10, 3)"),
        ("What is 12 times 34?", "mul(12, 34)"),
        ("is 97 prime?", "isprime(97)"),
        ("17% of 2340", "percent(17, 2340)"),
        ("sort 9, 1, 8, 2", "sort([9, 1, 8, 2])"),
    ],
)
def test_the_host_chooses_the_kernel(router, question, call):
    routed = router.route(question)
    assert [str(c) for c in routed.calls] == [call]
    assert routed.confidence > 0.5


@pytest.mark.parametrize("question", ["hello!"])
def test_nothing_to_compute(router, question):
    assert router.route(question).verdict == "chat"


def test_chat_says_something(real_host):
    messages = [{"role": "user", "content": "Say hello."}]
    assert "".join(real_host.chat(messages, 12)).strip()


def test_messages_lean_on_what_was_computed_before(router):
    first = Call("mul", (12, 34), (((0, 2),), ((3, 5),)))
    before = Before("408", first)
    for question, call in [
        ("and times 3?", "mul(408, 3)"),
        ("subtract 8 from that", "sub(408, 8)"),
        ("and 5 and 6?", "mul(5, 6)"),
        ("What is 20% of 50?", "percent(20, 50)"),
    ]:
        assert [str(c) for c in router.route(question, before).calls] == [call], question


def test_the_adapter_is_gone_when_it_has_routed(router, real_host):
    import torch

    model, tokenizer = real_host.load()
    ids = tokenizer("What is 12 times 34?", return_tensors="pt")
    with torch.inference_mode():
        alone = model.host(**ids).logits
        router.route("What is 12 times 34?")
        assert torch.equal(model.host(**ids).logits, alone)
