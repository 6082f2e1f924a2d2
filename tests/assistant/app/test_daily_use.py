"""What people complain of in such apps: selections that cannot be copied, a context that is lost
when a conversation is resumed, a folder or a compiler that is not there, two apps at once."""

from __future__ import annotations

import asyncio
import dataclasses
import threading

import pytest

from assistant.app.app import AssistantApp
from assistant.conversations import open_store
from assistant.slash import Session

from .conftest import Kept, ask, screen_text, settled, until
from .test_chat import last, run

KERNEL = """// run: --in a=1,2,3 --out b=3 --block 3
__global__ void twice(const int *a, int *b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }
"""


def test_text_selected_with_the_mouse_is_copied(kept):
    async def steps(pilot):
        app = pilot.app
        await ask(pilot, "say select me")
        answer = app.chat.conversation.turns[-1].query_one("MarkdownParagraph")
        await pilot.mouse_down(answer, offset=(0, 0))
        await pilot.hover(answer, offset=(5, 0))
        await pilot.mouse_up(answer, offset=(5, 0))
        await pilot.press("ctrl+c")
        assert app.clipboard == "select"
        assert not app.chat.talk.busy and app.chat.get_selected_text() is None

    run(kept.app(), steps)


def test_a_resumed_conversation_has_its_context(kept):
    """The host is given what was said before, not only the new question."""

    async def first(pilot):
        await ask(pilot, "say my name is Ada")

    async def then(pilot):
        given = []
        stream = kept.assistant.stream

        def listening(question, cancelled=None, **leans):
            given.append(leans)
            return stream(question, cancelled, **leans)

        kept.assistant.stream = listening
        await ask(pilot, "say who am I")
        assert "my name is Ada" in str(given)

    run(kept.app(), first)
    run(kept.app(resume=kept.store.latest()), then)


def test_two_apps_at_once_keep_both_conversations(tmp_path, machine):
    one, two = Kept(tmp_path, machine), Kept(tmp_path, machine)

    async def body():
        async with one.app().run_test() as a, two.app().run_test() as b:
            for number in range(3):
                await asyncio.gather(ask(a, f"say a{number}"), ask(b, f"say b{number}"))

    asyncio.run(body())
    said = {tuple(m.text for m in one.store.messages(c.id) if m.role == "assistant")
            for c in one.store.conversations()}  # fmt: skip
    assert said == {("a0", "a1", "a2"), ("b0", "b1", "b2")}
    one.store.close()
    two.store.close()


def test_without_the_compiler_a_kernel_says_so_and_the_chat_goes_on(kept):
    settings = dataclasses.replace(
        kept.settings, values=kept.settings.values | {"via": "clang", "clang": "/nowhere/clang"}
    )
    session = Session(settings, kept.store)

    async def steps(pilot):
        await ask(pilot, KERNEL)
        assert "clang" in last(pilot).record.problem
        await ask(pilot, "say fine")
        assert last(pilot).record.text == "fine"

    run(AssistantApp(session, kept.make_opener), steps)


@pytest.mark.parametrize("place", ["file/conversations.db", "folder"])
def test_where_nothing_can_be_kept_the_chat_goes_on(kept, tmp_path, place):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    store = open_store(tmp_path / place)

    async def steps(pilot):
        assert pilot.app._notifications
        await ask(pilot, "say fine")
        assert last(pilot).record.text == "fine"
        assert "fine" in screen_text(pilot.app)

    app = AssistantApp(
        Session(kept.settings, store), kept.make_opener, history=tmp_path / "file" / "history"
    )
    run(app, steps)
    store.close()


def test_a_paste_of_megabytes_is_one_piece(kept):
    text = "x" * 2_000_000 + "\nend"

    async def steps(pilot):
        prompt = pilot.app.chat.prompt
        prompt.paste_text(text)
        await until(pilot, lambda: "[pasted 2,000,004 characters]" in screen_text(pilot.app))
        assert prompt.whole == text and not kept.assistant.asked
        await pilot.press("ctrl+c")
        assert prompt.whole == ""

    run(kept.app(), steps)


def test_a_question_belongs_to_the_conversation_it_was_asked_in(kept):
    """Asked while the host loads; then a new conversation."""
    may_open = threading.Event()

    def openers(settings, traces):
        open_all = kept.make_opener(settings, traces)

        def wait(publish):
            assert may_open.wait(60)
            return open_all(publish)

        return wait

    async def steps(pilot):
        app = pilot.app
        await app.say("say early")
        await app.say("/new")
        await app.say("say later")
        may_open.set()
        await settled(pilot)
        first, second = kept.store.conversations()[::-1]
        said = kept.store.messages(first.id)
        assert [(m.text, m.state) for m in said] == [("say early", "done"), ("", "cancelled")]
        assert [m.text for m in kept.store.messages(second.id)] == ["say later", "later"]

    async def body():
        async with AssistantApp(kept.session, openers).run_test() as pilot:
            await steps(pilot)

    asyncio.run(body())


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
def test_an_app_may_be_left_before_it_has_painted(kept, size):
    async def body():
        async with kept.app().run_test(size=size) as pilot:
            pilot.app.exit()

    asyncio.run(body())
