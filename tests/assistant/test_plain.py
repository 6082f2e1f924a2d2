"""`assistant chat --plain`: in pipes, and at a terminal (a pty) with its keys."""

import io
import os
import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from assistant.cli import main
from assistant.commands.chat import with_choice
from assistant.conversations import open_store
from assistant.events import Loading, Text
from assistant.plain.folding import Folds
from assistant.plain.lines import messages
from assistant.plain.turn import Turn
from assistant.slash import Work
from tests.assistant import plain_program
from tests.assistant.scripted import QUESTION, RENAMED, Scripted
from vgpu.errors import Cancelled

PROGRAM = plain_program.__file__
KERNEL = "__global__ void k(int *out) {\n  out[threadIdx.x] = 7;\n}\n"


@pytest.fixture
def chat(capsys, monkeypatch):
    """Runs `chat --plain` with a pipe's text: the status, stdout, stderr."""
    import assistant.answer

    monkeypatch.setattr(assistant.answer, "Assistant", plain_program.Echo)

    def run(text, *options):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        status = main(["chat", "--plain", *options])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


# ---- pipes ----
def test_each_line_of_a_pipe_is_a_question(chat):
    status, out, err = chat("one\n\ntwo\nquit\nthree\n")
    assert status == 0
    footing = "(plain chat by Echo: not computed)"
    assert out.splitlines() == ["you said 'one'", footing, "you said 'two'", footing]
    assert err.splitlines() == ["loading Echo ..."]


def test_a_message_that_fails_is_told_and_the_rest_answered(chat):
    status, out, err = chat("/hlep\none\n")
    assert status == 1
    assert "did you mean /help" in err and "you said 'one'" in out


def test_a_kernel_in_a_pipe_is_one_message(chat):
    status, out, _ = chat(f"one\n// --block 2 --out out=2\n{KERNEL}")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == "you said 'one'" and "out = 7, 7" in lines


def test_nothing_but_text_reaches_the_terminal(chat):
    _, out, err = chat("attack\n\x1b[2J\x9b2Jhello\n/\x1b[31mx\n")
    assert "cleared" in out
    assert not set(out + err) & {"\x1b", "\x07", "\x9b"}


def test_a_conversation_goes_on(chat):
    chat("one\n")
    chat("two\n")
    status, out, err = chat("three\n/list\n", "--continue")
    assert status == 0
    assert "> two" in out and "> one" not in out and "conversation" in err
    listed = [line for line in out.splitlines() if line.startswith(("* ", "  "))]
    assert [line.split()[-1] for line in listed] == ["two", "one"]
    assert "   4  two" in listed[0]
    assert "> one" in chat("", "--resume", "one")[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--resume", "xyzzy"], 'no conversation "xyzzy"'),
        (["--resume"], "name the conversation"),
        (["--resume", "--continue"], "exclude each other"),
        (["--host", "smolm2-135m-instruct"], "did you mean"),
        (["--mode", "expert"], "basic, advanced"),
        (["--resume="], "name the conversation"),
    ],
)
def test_wrong_calls(chat, options, said):
    status, out, err = chat("one\n", *options)
    assert (status, out) == (2, "")
    assert said in err


def test_the_first_conversation(chat):
    status, _, err = chat("one\n", "--continue")
    assert status == 0 and "this is the first" in err


def test_text_that_is_not_utf8_is_a_mistake(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="utf-8"))
    assert main(["chat", "--plain"]) == 2
    assert "not valid UTF-8" in capsys.readouterr().err


def test_a_store_that_cannot_be_written_costs_nothing_else(chat, monkeypatch, tmp_path):
    (tmp_path / "data").write_text("no folder")
    status, out, err = chat("one\n/save\n")
    assert "you said 'one'" in out
    assert err.count("notice: ") == 1 and "memory only" in err
    assert "still cannot be written" in err and status == 1


def test_lines_and_sources():
    assert list(messages(["a\n", "\n", "b"])) == ["a", "b"]
    assert list(messages(["a\n", "#include <a>\n", "b\n"])) == ["a", "#include <a>", "b"]
    source = ["// --in a=1\n", *KERNEL.splitlines(keepends=True), "what?\n"]
    assert list(messages(["a\n", *source])) == ["a", "".join(source)]


@pytest.mark.parametrize(
    ("arguments", "spelled"),
    [
        (["chat", "--resume"], ["chat", "--resume="]),
        (["chat", "--resume", "--plain"], ["chat", "--resume=", "--plain"]),
        (["chat", "--resume", "abc"], ["chat", "--resume", "abc"]),
    ],
)
def test_resume_may_stand_alone(arguments, spelled):
    assert with_choice(arguments) == spelled


def test_long_pastes_are_folded_and_sent_whole():
    folds = Folds()
    long, other = "x\n" * 5000, "y\n" * 5000
    assert folds.fold("short\npaste") == "short\npaste"
    assert folds.fold(long) == folds.fold(long) == "[pasted 5,001 lines]"
    assert folds.fold(other) == "[pasted 5,001 lines, 2]"
    assert folds.unfold("a [pasted 5,001 lines] b [pasted 5,001 lines, 2]") == f"a {long} b {other}"
    assert folds.fold("z" * 3000) == "[pasted 3,000 characters]"


# ---- advanced mode ----
@pytest.fixture
def written(monkeypatch):
    """The host writes given programs: one that does not compile, then two that agree."""
    from assistant.advanced.mode import AdvancedMode

    good, serial, broken = RENAMED
    monkeypatch.setattr(AdvancedMode, "writer", Scripted(broken, good, serial))


def test_advanced_mode_tells_its_steps_and_its_kernel_is_kept(written, capsys, monkeypatch):
    lines = [
        QUESTION,
        "/attempts 1",
        "/save more_than",
        "/mode basic",
        "run more_than on [5, 9], 6",
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    assert main(["chat", "--plain", "--mode", "advanced", "--engine", "interpreter"]) == 0
    told = capsys.readouterr()
    steps = [line for line in told.err.splitlines() if line.startswith(("task", "attempt"))]
    assert steps[0] == "task: answer(a[5], n = 5, k = 20)"
    assert steps[1].startswith("attempt 1: kernel written")
    assert steps[2].startswith("attempt 1: compile: kernel.cu:3")
    assert [line.split(":")[1].split()[0] for line in steps[3:7]] == [
        "kernel", "compiled,", "passed", "ran",
    ]  # fmt: skip
    shown = told.out.splitlines()
    assert shown[0] == "3" and "written by Scripted, 3 attempts" in shown[1]
    assert any("^ " in line and "'x'" in line for line in shown)
    assert shown[-2] == "1" and shown[-1].startswith("kept kernel more_than(a[2], n = 2, k = 6)")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["chat", "--plain", "--continue"]) == 0
    assert "(3 programs written for it)" in capsys.readouterr().out


def test_without_a_checked_figure_none_is_shown(written, capsys, monkeypatch):
    monkeypatch.setenv("VGPU_ADVANCED_ATTEMPTS", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"/mode advanced\n{QUESTION}\n"))
    assert main(["chat", "--plain", "--engine", "interpreter"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == ["mode advanced", shown[1]]
    assert shown[1].startswith("I have no checked figure: 1 attempt failed")
    assert shown[2].startswith("1 attempt · ")


def test_the_app_opens_where_screens_can_be_drawn(monkeypatch):
    opened = []
    monkeypatch.setattr("assistant.commands.chat.can_show_screens", lambda: True)
    monkeypatch.setattr("assistant.app.open_app", lambda *given: opened.append(given) or 0)
    assert main(["chat", "--mode", "advanced", "--continue"]) == 0
    assert opened == [({"host": None, "mode": "advanced", "engine": None}, "")]


# ---- at a terminal ----
class Terminal:
    """A program in a pseudo-terminal of its own."""

    def __init__(self, data, *arguments):
        import fcntl
        import pty
        import struct
        import termios

        self.seen = ""
        self.pid, self.file = pty.fork()
        if not self.pid:
            os.environ |= {
                "XDG_DATA_HOME": str(data), "XDG_CONFIG_HOME": str(data), "HOME": str(data),
                "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "NO_COLOR": "1",
                "PYTHONPATH": str(Path(__file__).parents[2]),
            }  # fmt: skip
            os.execv(sys.executable, [sys.executable, PROGRAM, *arguments])
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def expect(self, text):
        """Reads until `text` has come since the last call."""
        while text not in self.seen:
            try:
                piece = os.read(self.file, 65536)
            except OSError:
                piece = b""
            assert piece, f"{text!r} did not come: {self.seen!r}"
            self.seen += piece.decode("utf-8", "replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def at_prompt(self, text=""):
        """Sends `text` as soon as the prompt takes it: it has just asked for bracketed pastes."""
        self.expect("\x1b[?2004h")
        self.send(text)

    def send(self, text):
        os.write(self.file, text.encode())

    def status(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.file)
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def start(*arguments):
        opened.append(Terminal(tmp_path, *arguments))
        return opened[-1]

    yield start
    for each in opened:
        try:
            os.kill(each.pid, signal.SIGKILL)
            os.waitpid(each.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def kept(tmp_path):
    with closing(open_store(tmp_path / "vgpu-assistant" / "conversations.db")) as store:
        return store.messages(store.latest().id)


@pytest.mark.skipif(sys.platform != "linux", reason="XDG folders and ptys")
def test_the_keys_of_a_terminal(terminal, tmp_path):
    chat = terminal("chat", "--plain")
    chat.expect("Ctrl-D leaves.")
    # Ctrl-C stops an answer and keeps the session.
    chat.at_prompt("slow\r")
    chat.expect("word 5")
    chat.send("\x03")
    chat.expect("stopped")
    # At the prompt it drops what is typed.
    chat.at_prompt("not this\x03")
    # A paste of several lines is one message; what a host says cannot act.
    chat.at_prompt("\x1b[200~first\r\nsecond\x1b[201~\r")
    chat.expect(r"you said 'first\nsecond'")
    chat.at_prompt("attack\r")
    shown = chat.expect("cleared")
    assert "owned" in shown and "\x1b]0" not in shown and "\x1b[2J" not in shown
    # Tab completes; Ctrl-R finds what was asked.
    chat.at_prompt("/mo\t")
    chat.expect("de")
    chat.send("\r")
    chat.expect("mode basic")
    chat.at_prompt("\x12fir")
    chat.expect("fir': ")
    chat.send("\r\r")
    chat.expect(r"you said 'first\nsecond'")
    chat.at_prompt()
    chat.send("\x04")
    assert chat.status() == 0
    said = kept(tmp_path)
    assert [m.text for m in said if m.role == "user"] == [
        "slow", "first\nsecond", "attack", "first\nsecond",
    ]  # fmt: skip
    assert [m.state for m in said if m.role == "assistant"] == ["cancelled", "done", "done", "done"]
    assert said[1].text.startswith("word 0 word 1 word 2 word 3 word 4 word 5")


@pytest.mark.skipif(sys.platform != "linux", reason="XDG folders and ptys")
def test_a_killed_chat_is_gone_on_with(terminal, tmp_path):
    chat = terminal("chat", "--plain")
    chat.at_prompt("slow\r")
    chat.expect("word 7")
    os.kill(chat.pid, signal.SIGKILL)
    chat.status()
    again = terminal("chat", "--plain", "--continue")
    again.expect("> slow")
    again.expect("word 6 word 7")
    again.expect("(the program ended before the answer did)")
    again.at_prompt("\x1b[A\r")  # Up brings what was asked before the kill
    again.expect("word 3")
    again.send("\x03")
    again.expect("stopped")
    again.at_prompt("/quit\r")
    assert again.status() == 0
    assert [m.state for m in kept(tmp_path)[1::2]] == ["interrupted", "cancelled"]


# ---- Ctrl-C ----
def interrupted_while(*events):
    def steps(_assistant, cancelled):
        for event in events:
            yield event
            signal.raise_signal(signal.SIGINT)
            if cancelled.is_set():
                raise Cancelled("stopped")

    return Work("x", steps)


@pytest.mark.parametrize("event", [Loading("loading Fake"), Text("so far")])
def test_ctrl_c_stops_the_work_and_nothing_else(capsys, event):
    handler = signal.getsignal(signal.SIGINT)
    assert not Turn(set()).perform(interrupted_while(event), None, keep_on=True)
    assert capsys.readouterr().err.splitlines()[-1] == "stopped"
    assert signal.getsignal(signal.SIGINT) is handler
    with pytest.raises(KeyboardInterrupt):  # in a pipe it ends the program
        Turn(set()).perform(interrupted_while(event), None, keep_on=False)


def test_a_second_ctrl_c_does_not_wait(capsys):
    def steps(_assistant, cancelled):
        yield Text("so far")
        signal.raise_signal(signal.SIGINT)
        assert cancelled.is_set()
        signal.raise_signal(signal.SIGINT)
        pytest.fail("it goes on")

    assert not Turn(set()).perform(Work("x", steps), None, keep_on=True)
    assert capsys.readouterr() == ("so far\n", "stopped\n")
