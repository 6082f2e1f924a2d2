"""Pastes reach the app as one piece, wherever what the terminal sends is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from assistant.app.clean import pasted
from assistant.app.terminal_input import Parser

BEGIN, END = "\x1b[200~", "\x1b[201~"
LOG = "see:\r\x1b[31mred\x1b[0m\rIs 7 prime?\r/quit\r\x1b[A\x1b\x11\x1bOP\x1b[200~last"


def told(chunks):
    parser = Parser()
    return [event for chunk in chunks if chunk for event in parser.feed(chunk)]


def text(found):
    return "".join(e.character or "" for e in found if isinstance(e, events.Key))


def test_a_log_with_colours_is_one_paste():
    (paste,) = told([BEGIN + LOG + END])
    assert pasted(paste.text).startswith("see:\n␛[31mred␛[0m\nIs 7 prime?\n/quit\n␛[A")


@given(st.data())
def test_cut_anywhere_it_is_the_same(data):
    whole = "ab" + BEGIN + LOG + END + "cd" + BEGIN + "second" + END + "\x1b[Ae"
    cuts = sorted({0, len(whole), *data.draw(st.lists(st.integers(0, len(whole)), max_size=9))})
    found = told([whole[a:b] for a, b in zip(cuts, cuts[1:], strict=False)])
    pastes = [e.text for e in found if isinstance(e, events.Paste)]
    assert [pasted(p) for p in pastes] == [pasted(LOG), "second"]
    assert text(found) == "abcde" and [e.key for e in found if isinstance(e, events.Key)][4] == "up"


@given(st.text(alphabet="\x1b[]201~O;mA\r ab", max_size=60))
def test_whatever_is_pasted_is_pasted(inside):
    inside = inside.replace(END, "")
    found = told([BEGIN, inside, END])
    assert all(isinstance(event, events.Paste) for event in found) and len(found) <= 1


@pytest.mark.parametrize("keys", ["\x1b[A", "abc", "\x1b[1;5C", "\x1b[I\x1b[O", "\x1ba"])
def test_keys_pass_unchanged(keys):
    from textual._xterm_parser import XTermParser

    plain = XTermParser() if XTermParser is not Parser else Parser.__mro__[1]()
    ours, theirs = told([keys]), list(plain.feed(keys))
    assert [repr(e) for e in ours] == [repr(e) for e in theirs]
