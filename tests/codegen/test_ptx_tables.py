"""The kept tables of the PTX grammar: the same parser, whatever became of the file."""

import pytest

from codegen.ptx import tables

GRAMMAR = 'start: "a" NUMBER*\n%import common.NUMBER\n%import common.WS\n%ignore WS'


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "cache_folder", lambda: tmp_path / "machine")
    made = tables.lark_of(GRAMMAR, propagate_positions=True)
    (path,) = (tmp_path / "machine").iterdir()
    assert made.parse("a 1 2").children == ["1", "2"]
    return path


def parses(capfd):
    again = tables.lark_of(GRAMMAR, propagate_positions=True)
    assert again.parse("a 1 23").children == ["1", "23"]
    assert again.parse("a 1").meta.end_column == 4
    assert capfd.readouterr().err == ""


def test_they_are_read_and_not_made(file, monkeypatch, capfd):
    def made(*_args, **_options):
        raise AssertionError("made anew")

    monkeypatch.setattr(tables.Lark, "__init__", made)
    parses(capfd)


def test_a_flipped_bit_anywhere_is_noticed(file, capfd):
    whole = file.read_bytes()
    for at in range(0, len(whole), 97):
        damaged = whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :]
        file.write_bytes(damaged)
        parses(capfd)
        assert file.read_bytes() != damaged


@pytest.mark.parametrize("content", [b"", b"x" * 40, None])
def test_what_is_no_such_file_is_replaced_or_left(file, content, capfd):
    file.unlink()
    file.mkdir() if content is None else file.write_bytes(content)
    parses(capfd)
    assert file.is_dir() == (content is None)
    assert len(list(file.parent.iterdir())) == 1


def test_another_grammar_is_another_file(file):
    tables.lark_of(GRAMMAR.replace('"a"', '"b"'), propagate_positions=True)
    assert len(list(file.parent.iterdir())) == 2
