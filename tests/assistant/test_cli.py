"""The command line: exit statuses, one line for a mistake, nothing heavy imported, JSON alone."""

import json
import os
import subprocess
import sys

import pytest

from assistant.cli import main

COMMANDS = ("chat", "ask", "run", "compile", "build", "verify", "bench", "doctor")


@pytest.fixture
def double(tmp_path):
    """out[i] = a[i] + a[i] for n threads of one block, as a stored program."""
    from vgpu import Param, Program, asm

    code = asm.assemble("""
        s2r r0, %tid.x
        shl r1, r0, 2
        mov r2, 0
        ld.b32 r3, [r2 + 16]
        ld.b32 r4, [r2 + 20]
        add r3, r3, r1
        add r4, r4, r1
        ld.b32 r5, [r3 + 0]
        add r5, r5, r5
        st.b32 [r4 + 0], r5
        exit
    """)
    params = (Param("a", 0, 4, True, "i32"), Param("out", 4, 4, True, "i32"))
    path = tmp_path / "double.vgpu"
    Program("double", tuple(code), params, data_base=24, shared_base=24).save(path)
    return path


def fails(capsys, status, *arguments):
    assert main(list(arguments)) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("assistant: ")
    assert len(captured.err.splitlines()) == 1
    assert "Traceback" not in captured.err
    return captured.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(capsys, command):
    assert main([command, "--help"]) == 0
    assert command in capsys.readouterr().out


def test_help_and_errors_import_neither_torch_nor_transformers():
    code = (
        "import sys; from assistant.cli import main\n"
        "main(['--help']); main(['run', 'missing.cu'])\n"
        "heavy = {'torch', 'transformers', 'numba'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_run_does_not_import_torch(double):
    code = (
        "import sys; from assistant.cli import main\n"
        f"status = main(['run', {str(double)!r}, '--in', 'a=1,2', '--out', 'out=2',"
        " '--block', '2', '--engine', 'interpreter'])\n"
        "heavy = {'torch', 'transformers'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "out = 2, 4" in done.stdout


def test_run_prints_one_object(capsys, double):
    status = main(
        ["run", str(double), "--in", "a=1,-2,3", "--out", "2=3", "--block", "3", "--json",
         "--engine", "interpreter"]
    )  # fmt: skip
    captured = capsys.readouterr()
    assert status == 0
    record = json.loads(captured.out)
    assert record["outputs"]["out"] == [2, -4, 6]
    assert set(record) == {
        "kernel", "grid", "block", "engine", "passes", "words", "instructions", "seconds",
        "outputs", "computed_by", "folded",
    }  # fmt: skip
    assert record["computed_by"] == "interpreter"


def test_mistakes_in_a_run(capsys, double, tmp_path):
    run = ("run", str(double), "--engine", "interpreter")
    assert "no such file" in fails(capsys, 2, "run", "missing.cu")
    assert "is a folder" in fails(capsys, 2, "run", str(tmp_path))
    assert 'missing parameter "a"' in fails(capsys, 2, *run)
    assert 'did you mean "out"' in fails(capsys, 2, *run, "--in", "a=1", "--out", "outt=1")
    assert "expected N" in fails(capsys, 2, *run, "--grid", "0")
    assert "No such option" in fails(capsys, 2, *run, "--blok", "3")
    assert "max_passes" in fails(capsys, 2, *run, "--max-passes", "-3")
    assert "sparse, dense, interpreter" in fails(capsys, 2, "run", str(double), "--engine", "x")
    wrong_kernel = fails(capsys, 2, *run, "--kernel", "triple", "--in", "a=1", "--out", "out=1")
    assert 'holds the kernel "double"' in wrong_kernel
    other = tmp_path / "notes.txt"
    other.write_text("x")
    assert "expected a file .cu" in fails(capsys, 2, "run", str(other))
    broken = tmp_path / "broken.vgpu"
    broken.write_text("{}")
    assert "broken.vgpu" in fails(capsys, 2, "run", str(broken))
    binary = tmp_path / "binary.cu"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "not a text file" in fails(capsys, 2, "run", str(binary))


def test_the_pass_budget_is_status_1(capsys, double):
    arguments = ("--in", "a=1", "--out", "out=1", "--engine", "interpreter", "--max-passes", "2")
    fails(capsys, 1, "run", str(double), *arguments)


def test_compile_shows_each_stage(capsys, double):
    assert main(["compile", str(double), "--show", "asm"]) == 0
    assert "exit" in capsys.readouterr().out
    assert main(["compile", str(double)]) == 0
    assert "a: i32*" in capsys.readouterr().out
    assert "no PTX" in fails(capsys, 2, "compile", str(double), "--show", "ptx")
    fails(capsys, 2, "compile", str(double), "--show", "pictures")


def test_compile_stores_a_program_that_runs(capsys, double, tmp_path):
    copy = tmp_path / "copy.vgpu"
    assert main(["compile", str(double), "-o", str(copy)]) == 0
    assert "11 instructions" in capsys.readouterr().err
    assert copy.read_text() == double.read_text()
    absent = tmp_path / "absent" / "copy.vgpu"
    assert "there is no folder" in fails(capsys, 2, "compile", str(double), "-o", str(absent))


def test_ask_mistakes(capsys):
    fails(capsys, 2, "ask")
    assert "empty" in fails(capsys, 2, "ask", "  ")
    assert "unknown host" in fails(capsys, 2, "ask", "1 + 1", "--host", "smollm")
    assert "basic, advanced" in fails(capsys, 2, "ask", "1 + 1", "--mode", "fast")


def test_verify_mistakes(capsys, tmp_path):
    assert "at least 1" in fails(capsys, 2, "verify", "--programs", "0")
    assert "no such folder" in fails(capsys, 2, "verify", "--cases", str(tmp_path / "x"))
    both = ("--cases", str(tmp_path), "--programs", "3")
    assert "exclude each other" in fails(capsys, 2, "verify", *both)
    assert "compared with" in fails(capsys, 2, "verify", "--engine", "interpreter")


def test_an_interrupt_is_status_130(capsys, monkeypatch, double):
    from assistant.commands import run

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(run.sources, "program", interrupted)
    assert main(["run", str(double)]) == 130


def test_an_unknown_command(capsys):
    assert "No such command" in fails(capsys, 2, "asq", "1 + 1")


def test_chat_answers_each_line_of_a_pipe(capsys, monkeypatch, host):
    import io

    import assistant.answer
    from assistant.router import Call, Routed

    class Adds:
        def route(self, question, before=None):
            call = Call("add", (20, 22), (((0, 2),), ((3, 5),)))
            return Routed("calls", (call,), "planned", 1.0)

    made = assistant.answer.Assistant
    monkeypatch.setattr(
        assistant.answer, "Assistant", lambda settings: made(settings, host=host, router=Adds())
    )
    monkeypatch.setenv("VGPU_ENGINE", "interpreter")
    monkeypatch.setattr("sys.stdin", io.StringIO("20 + 22\n\nquit\n20 + 22\n"))
    assert main([]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "20 + 22: 42 · add(20, 22) · 16 passes"


def test_version(capsys):
    from assistant import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"assistant {__version__}\n"


def test_a_question_that_is_not_text_is_a_mistake(capsys):
    assert "UTF-8" in fails(capsys, 2, "ask", "what is \udcff plus 3")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_a_closed_stream_is_no_traceback(closed):
    shell = f'"{sys.executable}" -m assistant doctor --help {closed}'
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_folder_is_no_place_for_a_program_or_a_trace(capsys, double, tmp_path):
    assert "folder" in fails(capsys, 2, "compile", str(double), "-o", str(tmp_path))
    assert "folder" in fails(capsys, 2, "run", str(double), "--trace", "")


def test_a_source_is_not_written_over(capsys, double):
    before = double.read_bytes()
    assert "the file that is read" in fails(capsys, 2, "compile", str(double), "-o", str(double))
    assert "the file that is read" in fails(capsys, 2, "run", str(double), "--trace", str(double))
    assert double.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("compile", "--show", "foo"), '--show "foo": expected one of ptx, asm, stats, circuit'),
        (("run", "--shared", "1e3"), '--shared "1e3": expected an integer'),
        (("run", "--shared", "1_0"), '--shared "1_0": expected an integer'),
        (("run", "--block", "1_0"), '--block "1_0": expected'),
        (("run", "--in", "1=1_000"), 'got "1_000"'),
        (("run", "--in", "1:f32=1_0.5"), 'got "1_0.5"'),
        (("run", "--in", "1=\u0663"), "whole number"),
        (("run", "--in", "\u0661=3"), "expected NAME"),
    ],
)
def test_numbers_and_choices_are_plain(capsys, double, arguments, told):
    command, *options = arguments
    assert told in fails(capsys, 2, command, str(double), *options)


FULL = "/dev/full"


@pytest.mark.skipif(not os.path.exists(FULL), reason="no full device here")
def test_a_full_disk_is_named(double):
    call = [sys.executable, "-m", "assistant"]
    with open(FULL, "w") as full:
        done = subprocess.run([*call, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "assistant: stdout: No space left on device\n")
    launch = ["--in", "1=1", "--trace", FULL]
    done = subprocess.run([*call, "run", str(double), *launch], capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot write the trace /dev/full: No space left" in done.stderr
    assert "Traceback" not in done.stderr


INTERRUPTED = """
import signal, sys, time
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            signal.raise_signal(signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Stop())
from assistant.__main__ import main
sys.argv[1:] = {arguments!r}
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["typer", "assistant.cli", "vgpu.runtime"])
def test_ctrl_c_at_any_time_is_one_word(double, module):
    arguments = ["run", str(double), "--in", "1=1"]
    code = INTERRUPTED.format(module=module, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
