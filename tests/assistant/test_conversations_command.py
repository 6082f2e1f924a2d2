"""`assistant conversations`: what was kept, from the command line."""

import json

import pytest

from assistant.cli import main
from assistant.conversations import default_path, open_store


@pytest.fixture
def talk():
    store = open_store()
    talk = store.start(host="Fake", mode="basic")
    store.say(talk.id, "What is 2 + 3?\x1b[2J")
    store.reply(talk.id).done("5")
    store.close()
    return talk


def says(capsys, *arguments, status=0):
    assert main(["conversations", *arguments]) == status
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    return captured.err if status else captured.out


def test_none_yet(capsys):
    assert says(capsys) == "no conversation is kept yet\n"
    assert says(capsys, "path").strip() == str(default_path())


def test_listing_and_searching(capsys, talk):
    assert talk.id in says(capsys) and "What is 2 + 3?" in says(capsys, "list")
    (listed,) = json.loads(says(capsys, "list", "--json"))["conversations"]
    assert (listed["id"], listed["messages"], listed["host"]) == (talk.id, 2, "Fake")
    assert talk.id in says(capsys, "search", "what", "2 +")
    (found,) = json.loads(says(capsys, "search", "what", "--json"))["found"]
    assert (found["id"], found["message"]) == (talk.id, 1)


def test_showing_and_exporting(capsys, talk, tmp_path):
    assert "## Assistant\n\n5" in says(capsys, "show", "what is")
    assert json.loads(says(capsys, "show", talk.id, "--json"))["id"] == talk.id
    file = tmp_path / "x.md"
    assert says(capsys, "export", talk.id, str(file)) == f"{file}\n"
    assert "is there already" in says(capsys, "export", talk.id, str(file), status=2)
    says(capsys, "export", talk.id, str(file), "--force")


def test_renaming_and_deleting(capsys, talk):
    assert "Small sums" in says(capsys, "rename", talk.id, "Small", "sums")
    says(capsys, "delete", "small sums")
    assert "none is kept yet" in says(capsys, "show", talk.id, status=2)


def test_nothing_is_changed_where_nothing_can_be_kept(capsys, talk, monkeypatch):
    from assistant.conversations import files

    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.os, "open", refused)
    assert "cannot be changed" in says(capsys, "rename", talk.id, "x", status=2)
    assert "What is" in says(capsys, "list")
