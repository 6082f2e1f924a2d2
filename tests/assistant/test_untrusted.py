"""No text from elsewhere gives the terminal orders."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant import console
from assistant.untrusted import clean, clean_json

ATTACKS = [
    "\x1b[2J\x1b[H",  # clears the screen
    "\x1b]0;owned\x07",  # the window's title
    "\x1b]52;c;cm0gLXJm\x07",  # the clipboard
    "\x9b31m",  # CSI in one character
    "\x9d0;owned\x9c",
    "\x1bP+q544e\x1b\\",  # asks the terminal to type
    "right\rwrong",
    "a\x08b",
    "\x7f",
    "\u202eevil\u202c",  # turned around
    "half \ud800",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_orders_become_signs(attack):
    shown = clean(attack)
    assert all(c.isprintable() for c in shown)
    assert clean(shown) == shown
    shown.encode()


@given(st.text(), st.integers(0, 40))
def test_the_same_in_pieces(text, cut):
    """A sequence cut in two by a stream is caught as well."""
    assert clean(text[:cut]) + clean(text[cut:]) == clean(text)


@given(st.text())
def test_only_newlines_and_tabs_control(text):
    orders = {c for c in clean(text) if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0}
    assert orders <= {"\n", "\t"}


@pytest.mark.parametrize(
    "text", ["", "2 + 3 = 5\n", "naïve Ω 漢字", "👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "שלום عربي", "a\tb"]
)
def test_other_text_stays(text):
    assert clean(text) == text


@given(st.text())
def test_json_means_the_same(text):
    spelled = clean_json(json.dumps({"a": text}, ensure_ascii=False))
    assert json.loads(spelled) == {"a": text}
    assert clean(spelled) == spelled
    spelled.encode()


def test_everything_written_is_cleaned(capsys, monkeypatch):
    for attack in ATTACKS:
        console.out(attack)
        console.out_piece(attack)
        console.note(attack)
        console.out_json({"a": attack})
    captured = capsys.readouterr()
    for text in captured:
        assert not {c for c in text if not c.isprintable()} - {"\n"}
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", terminal)
    console.Progress("label")(1, 2, "\x1b]0;owned\x07")
    assert "\x1b]" not in terminal.getvalue()
