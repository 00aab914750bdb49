"""The whole program when the world is against it: floods, tiny windows, stops and kills."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from acp_tui.client.files import text_file
from tests.e2e.terminal import CTRL_Q, ENTER, ESCAPE, Terminal, terminal
from tests.e2e.test_log import recorded
from tests.fake_agent.script import Played, Script
from tests.hosting import PATIENCE, alive, command, living, wait_until
from tests.in_process import run_program
from tests.unit.debug.scenes import Wire

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

READY = "Ask the agent"
PERMISSIONS = 10_000
F1 = "\x1bOP"
FAULT = """
import sys
if sys.orig_argv[1:3] == ["-m", "acp_tui"]:
    from acp_tui.ui.app import AcpApp
    def broken(self):
        raise ZeroDivisionError("the help is broken")
    AcpApp.action_help = broken
"""
"""What Python runs as it starts: one key of the program fails."""
BREAKS_AS_IT_OPENS = """
import sys
if sys.orig_argv[1:3] == ["-m", "acp_tui"]:
    from acp_tui.ui.conversation.screen import ConversationScreen
    def broken(self):
        raise ZeroDivisionError("the screen is broken")
    ConversationScreen.compose = broken
"""
HANGS_AS_IT_READS = """
import sys, time
if sys.orig_argv[1:3] == ["-m", "acp_tui"]:
    from acp_tui.client.files import text_file
    text_file._read_all = lambda *_: time.sleep(60)
"""
BREAKS_AS_IT_READS = """
import sys
if sys.orig_argv[1:3] == ["-m", "acp_tui"]:
    from acp_tui.client.files import text_file
    def broken(*_):
        raise ZeroDivisionError("the kettle is broken")
    text_file.cut_lines = broken
"""
KILLED_AS_IT_SYNCS = """
import os, signal, sys
if sys.orig_argv[1:3] == ["-m", "acp_tui"]:
    os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
"""


def assert_leaves_as_it_came(it: Terminal) -> None:
    it.leave()
    assert it.wait_for_exit() == 0
    it.assert_as_it_came()


def stubborn() -> Script:
    """An agent that outlives its stdin and SIGTERM, with a grandchild and a terminal."""
    script = Script().handshake().ignore_eof().ignore_sigterm().prompt()
    script.spawn_grandchild(ignores_sigterm=True)
    script.request("terminal/create", {"sessionId": "s1", "command": "sleep", "args": ["61"]})
    return script.expect_answer("create").chunk("here")


@pytest.mark.parametrize("in_front", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_killed_we_leave_nothing_running_and_the_terminal_is_given_back(
    tmp_path: Path, in_front: bool
) -> None:
    with terminal("--no-record", "--", *stubborn().argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("here")
        wait_until(lambda: len(it.processes) == 5)
        it.screen.set_margins(3, 9)  # as in the middle of a frame that moves rows
        os.kill(it.process.pid if in_front else it.pid, signal.SIGKILL)
        assert it.process.wait() == (-signal.SIGKILL if in_front else 128 + signal.SIGKILL)
        it.wait_until(lambda: it.screen.margins is None, "all rows to scroll")
        it.wait_until(lambda: it.screen.mode == it.modes, "plain screen")
        it.wait_until(lambda: it.current_attributes() == it.attributes, "echo of keys")
        wait_until(lambda: it.processes == [])


def test_a_terminal_that_is_stuck_keeps_nobody_from_leaving_and_is_given_back_later(
    tmp_path: Path,
) -> None:
    with terminal("--no-record", "--", *Script().handshake().argv(tmp_path)) as it:
        it.wait_for(READY)
        it.fill()
        it.send("some words" + F1 + ESCAPE + CTRL_Q)
        assert it.process.wait(PATIENCE) == 0
        it.wait_until(lambda: it.screen.mode == it.modes, "plain screen")
        it.wait_until(lambda: it.current_attributes() == it.attributes, "echo of keys")


@pytest.mark.slow
def test_what_a_terminal_answers_is_typed_nowhere(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    for number in range(300):
        script.chunk(f"- a line of a long list, number {number}\n")
    with terminal("--no-record", "--", *script.end_turn().argv(tmp_path)) as it:
        it.answers = True
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("number 299")
        it.send("\x0c")
        it.send("typed")
        it.wait_for("▌ typed\n")
        assert it.written.count(b"\x1b[6n") > 2
        it.send("\x15\x0c")
        it.wait_for(READY)
        assert_leaves_as_it_came(it)
        assert it.unread == 0


def test_killed_in_a_replay_we_give_the_terminal_back(tmp_path: Path) -> None:
    recording = recorded(Wire().prompted().chunk("all of it").ended(), tmp_path / "r.jsonl")
    with terminal("replay", str(recording)) as it:
        it.wait_for("all of it")
        os.kill(it.process.pid, signal.SIGKILL)
        it.process.wait()
        it.wait_until(lambda: it.screen.mode == it.modes, "plain screen")
        it.wait_until(lambda: it.current_attributes() == it.attributes, "echo of keys")


@pytest.mark.slow
def test_a_killed_turn_leaves_nothing_running(tmp_path: Path) -> None:
    marker = f"marker-{tmp_path.name}-{os.getpid()}"
    words = command("--no-record", argv=stubborn().argv(tmp_path))
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, env={**os.environ, "ACP_TUI_TEST": marker}
    ) as program:
        assert program.stdout is not None
        program.stdout.read(4)
        wait_until(lambda: len(living(marker)) == 4)
        program.kill()
        program.wait()
        wait_until(lambda: living(marker) == [])


@pytest.mark.slow
def test_killed_in_the_middle_of_a_write_we_leave_the_old_file_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(KILLED_AS_IT_SYNCS)
    (work := tmp_path / "work").mkdir()
    (work / "tea").write_text("old")
    script = Script().handshake().prompt()
    script.request(
        "fs/write_text_file", {"sessionId": "s1", "path": str(work / "tea"), "content": "new"}
    )
    marker = f"marker-{tmp_path.name}-{os.getpid()}"
    words = command("--no-record", "--cwd", str(work), argv=script.argv(tmp_path))
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "ACP_TUI_TEST": marker}
    ran = subprocess.run(words, env=env, capture_output=True, check=False)
    assert ran.returncode == -signal.SIGKILL
    assert len(list(work.iterdir())) == 2
    wait_until(lambda: living(marker) == [] and [one.name for one in work.iterdir()] == ["tea"])
    assert (work / "tea").read_text() == "old"


def test_a_disk_that_hangs_keeps_nobody_from_leaving(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HANGS_AS_IT_READS)
    (tmp_path / "tea").write_text("green")
    script = Script().handshake().prompt()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": str(tmp_path / "tea")})
    script.expect("session/cancel").end_turn("cancelled")
    options = ("--no-record", "--cwd", str(tmp_path), "--max-time", "0.5")
    words = command(*options, argv=script.argv(tmp_path))
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run(words, env=env, capture_output=True, check=False, timeout=20)
    assert ran.returncode == 3
    assert b"not done within 0.5 s" in ran.stderr


@pytest.mark.slow
def test_a_fault_before_the_first_screen_gives_the_terminal_back_and_leaves_nothing_running(
    tmp_path: Path,
) -> None:
    (tmp_path / "sitecustomize.py").write_text(BREAKS_AS_IT_OPENS)
    recording, env = tmp_path / "the recording.jsonl", {"PYTHONPATH": str(tmp_path)}
    with terminal("--record", str(recording), "--", *stubborn().argv(tmp_path), env=env) as it:
        assert it.wait_for_exit() == 1
        assert it.processes == []
        assert it.current_attributes() == it.attributes
        assert it.screen.mode == it.modes
        said = it.text.replace("\n", "")
        assert "the screen is broken" in said
        assert f"acp-tui replay '{recording}'" in said
        assert recording.is_file()


@pytest.mark.slow
def test_a_fault_in_a_key_is_a_notice_and_the_turn_goes_on(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(FAULT)
    script = Script().handshake().prompt().chunk("here").expect("session/cancel")
    argv = script.end_turn("cancelled").argv(tmp_path)
    with terminal("--no-record", "--", *argv, env={"PYTHONPATH": str(tmp_path)}) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("here")
        it.send(F1)
        it.wait_for("A bug in acp-tui, in the key f1")
        it.send(ESCAPE)
        it.wait_for("ready")
        assert_leaves_as_it_came(it)


def reads_a_file(folder: Path) -> list[str]:
    """An agent that asks for a file, and isn't given it."""
    (folder / "tea").write_text("green")
    script = Script().handshake().prompt()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": str(folder / "tea")})
    script.expect_answer("read_text_file", error={"code": -32603})
    return script.chunk("here").end_turn().argv(folder)


@pytest.mark.slow
def test_a_fault_of_our_own_that_only_the_agent_would_hear_of_is_told(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BREAKS_AS_IT_READS)
    argv = reads_a_file(tmp_path)
    options, env = ("--no-record", "--cwd", str(tmp_path)), {"PYTHONPATH": str(tmp_path)}
    with terminal(*options, "--", *argv, env=env) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("A bug in acp-tui, in fs/read_text_file")
        it.wait_for("ZeroDivisionError: the kettle is broken")
        it.wait_for("here")
        assert_leaves_as_it_came(it)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_fault_of_our_own_is_told_by_run_and_by_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("the kettle is broken")

    monkeypatch.setattr(text_file, "cut_lines", broken)
    file = tmp_path / "r.jsonl"
    options = ("--format", form, "--record", str(file), "--cwd", str(tmp_path))
    ran = run_program(*command(*options, argv=reads_a_file(tmp_path))[3:])
    assert ran.returncode == 0
    if form == "json":
        (fault,) = [one for one in map(json.loads, ran.stdout.splitlines()) if "doing" in one]
        assert (fault["event"], fault["doing"]) == ("fault", "fs/read_text_file")
        assert "in broken" in fault["traceback"]
    else:
        lines = ran.stderr.decode().splitlines()
        at = lines.index("acp-tui: a bug in acp-tui, in fs/read_text_file; please report it:")
        assert lines[at + 1] == "acp-tui: Traceback (most recent call last):"
        assert "acp-tui: ZeroDivisionError: the kettle is broken" in lines
    log = run_program("log", str(file), "--table", env={"COLUMNS": "200"}).stdout.decode()
    (row,) = [line for line in log.splitlines() if "own_fault" in line]
    assert "in fs/read_text_file: ZeroDivisionError: the kettle is broken" in row


def test_who_leaves_well_leaves_no_watchdog_either() -> None:
    code = (
        "from subprocess import DEVNULL; import anyio\n"
        "from acp_tui.client.process.group import spawn_process\n"
        "from acp_tui.client.process.watchdog import watchdog\n"
        "watchdog.start()\n"
        "child = spawn_process(['true'], '/', {}, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)\n"
        "anyio.run(child.end, 1.0)\n"
        "print(watchdog.pid)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    wait_until(lambda: not alive(int(ran.stdout)))


@pytest.mark.slow
@pytest.mark.parametrize("way", ["SIGTSTP", "Ctrl+Z"])
def test_stopped_and_continued_by_a_shell_it_goes_on(tmp_path: Path, way: str) -> None:
    gate = tmp_path / "gate"
    script = Script().handshake().prompt().chunk("first").until(gate).chunk(" last").end_turn()
    argv = script.argv(tmp_path)
    with terminal("--no-record", "--", *argv, module=("tests.e2e.shell",)) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("first")
        if way == "Ctrl+Z":
            it.send("\t")
            it.wait_for("Tab prompt")
            it.send("\x1a")
        else:
            in_front = min(pid for pid in it.processes if is_ours(pid))
            os.kill(in_front, signal.SIGTSTP)
        it.wait_until(lambda: it.screen.mode == it.modes, "plain screen")
        it.wait_until(lambda: it.current_attributes() == it.attributes, "echo of keys")
        it.wait_until(lambda: any(map(is_stopped, it.processes)), "stopped process")
        gate.touch()
        it.screen.erase_in_display(2)  # the shell has drawn something else
        it.send(ENTER)
        it.wait_for("first last")
        it.wait_for("hello")
        it.wait_for(READY)
        assert_leaves_as_it_came(it)


def is_ours(pid: int) -> bool:
    """Whether this is the program itself, not its shell."""
    return Path(f"/proc/{pid}/cmdline").read_text().startswith(f"{sys.executable}\0-m\0acp_tui\0")


@pytest.mark.slow
def test_without_a_shell_nobody_is_stopped_for_good(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("first").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("first")
        it.send("\t")
        it.wait_for("Tab prompt")
        it.screen.erase_in_display(2)
        it.send("\x1a")
        it.wait_for(READY)
        it.wait_for("first")
        assert_leaves_as_it_came(it)


@pytest.mark.slow
def test_continued_without_a_stop_it_reads_the_terminal_once(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("first").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        threads = Path(f"/proc/{it.pid}/task")
        before = len(list(threads.iterdir()))
        for _ in range(5):
            it.screen.erase_in_display(2)
            os.kill(it.pid, signal.SIGCONT)
            it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("first")
        assert len(list(threads.iterdir())) < before + 5, "but for some that wait for work"
        assert_leaves_as_it_came(it)


@pytest.mark.slow
def test_a_window_of_one_cell_and_back(tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission({"title": "Burn it"})
    script.expect_answer("ask", result={"outcome": {"outcome": "selected", "optionId": "no"}})
    script.chunk("kept").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("asks for permission")
        for size in ((1, 1), (200, 1), (1, 40), (80, 24)):
            before = len(it.written)
            it.resize(*size)
            it.wait_until(lambda before=before: len(it.written) > before, f"{size} drawn")
            assert it.process.poll() is None
        it.wait_for("Burn it")
        it.wait_for_keys()
        it.send("3")
        it.wait_for("kept")
        assert_leaves_as_it_came(it)


def test_a_window_that_was_smaller_for_a_moment_shows_everything_again(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("first").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line(words := "words that need more than twenty cells")
        it.wait_for("first")
        it.resize(20, 5)
        it.resize(80, 24)  # before the program has asked for the size
        assert words not in it.text
        it.wait_for(words)
        assert_leaves_as_it_came(it)


def test_keys_that_come_at_once_answer_nothing(tmp_path: Path) -> None:
    """They are words for the prompt: nobody who means an answer types on within a moment."""
    script = Script().handshake().prompt()
    for title in ("Boil", "Burn"):
        script.ask_permission({"toolCallId": title, "title": f"{title} it"}, save=title)
    for title, option in (("Boil", "no"), ("Burn", "no")):
        outcome = {"outcome": "selected", "optionId": option}
        script.expect_answer(title, result={"outcome": outcome})
    script.chunk("kept").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("1 of 2")
        it.wait_for_keys()
        it.send("211")
        it.wait_for("▌ 211")
        assert "1 of 2" in it.text, "a question was answered"
        it.send("\x7f\x7f\x7f")
        it.wait_for_keys()
        it.send("3")
        it.wait_until(lambda: "1 of 2" not in it.text, "answered question")
        it.wait_for_keys()
        it.send("3")
        it.wait_for("kept")
    Played(tmp_path).check()


@pytest.mark.slow
def test_ten_thousand_questions_leave_the_keys_working(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    for number in range(PERMISSIONS):
        script.ask_permission({"toolCallId": f"t{number}", "title": "Do"}, save=f"a{number}")
    script.expect("session/cancel", timeout=60)
    script.end_turn("cancelled").prompt().chunk("all well").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for(f"of {PERMISSIONS}")
        for left in (PERMISSIONS - 1, PERMISSIONS - 2):
            answer(it, "1", f"of {left}")
        answer(it, ESCAPE, "Enter send")
        it.type_line("well?")
        it.wait_for("all well")
        assert it.resident < 300, f"{it.resident} MiB"
        assert_leaves_as_it_came(it)
    outcomes = [
        one["result"]["outcome"]["outcome"]
        for one in Played(tmp_path).messages
        if "method" not in one
    ]
    assert outcomes == ["selected"] * 2 + ["cancelled"] * (PERMISSIONS - 2)


def is_stopped(pid: int) -> bool:
    """Whether a process waits to go on."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    return False


def answer(it: Terminal, key: str, shown_then: str) -> None:
    """Answer a question, once it takes keys."""
    it.wait_for_keys()
    it.send(key)
    it.wait_for(shown_then)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["stdout", "stderr"])
def test_keys_show_while_noise_pours_in(tmp_path: Path, where: str) -> None:
    noise = ("npm warn deprecated " * 12 + "\n") * 256
    script = Script().handshake().prompt()
    if where == "stdout":
        script.raw(noise.encode(), times=400)
    else:
        script.stderr(noise, times=400)
    script.pour(noise, where=where).expect("session/cancel").chunk("quiet").end_turn("cancelled")
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("Esc cancel")
        for number in range(1, 6):
            it.send("noise"[number - 1])
            it.wait_for("▌ " + "noise"[:number])
        it.send(ESCAPE)
        it.wait_for("quiet")
        if where == "stdout":
            it.wait_for(" errors (F12)")
        assert it.resident < 200, f"{it.resident} MiB"
        it.send(ESCAPE + ENTER)
        assert_leaves_as_it_came(it)


def test_a_terminal_that_cannot_draw_gets_a_word_instead_of_the_ui() -> None:
    with terminal("demo", "--no-record", env={"TERM": "dumb"}) as it:
        assert it.wait_for_exit() == 2
        assert "use: acp-tui --plain" in it.text


@pytest.mark.slow
def test_killed_the_demo_leaves_no_folder_behind(tmp_path: Path) -> None:
    with terminal("demo", "--no-record", env={"TMPDIR": str(tmp_path)}) as it:
        it.wait_for(READY)
        assert [one.name[:13] for one in tmp_path.iterdir()] == ["acp-tui-demo-"]
        os.kill(it.process.pid, signal.SIGKILL)
        it.process.wait()
        wait_until(lambda: it.processes == [] and list(tmp_path.iterdir()) == [])


@pytest.mark.slow
def test_without_any_state_folder_the_app_runs_and_leaves_well(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("all well").end_turn()
    with terminal("--", *script.argv(tmp_path), env={"XDG_STATE_HOME": "/proc/none"}) as it:
        it.wait_for(READY)
        it.wait_for("this is not recorded")
        it.type_line("hello")
        it.wait_for("all well")
        it.send("unsent")
        it.wait_for("unsent")
        it.send(ESCAPE)
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
