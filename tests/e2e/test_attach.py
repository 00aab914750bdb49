"""Runs that are kept in the background, on real terminals: nothing ends with its screen."""

import json
import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.terminal import CTRL_Q, ENTER, Terminal
from tests.examples import parametrize
from tests.fake_agent.script import Played, Script
from tests.hosting import living, wait_until
from tests.in_process import run_program

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

SIZE = (80, 24)


class Desk:
    """Several terminals of one person."""

    def __init__(self, state: Path, stack: ExitStack) -> None:
        self.env = {"XDG_STATE_HOME": str(state)}
        self._stack = stack

    def screen(self, *argv: str) -> Terminal:
        it = Terminal(argv, SIZE, self.env)
        self._stack.callback(it.close)
        return it

    def keep(self, folder: Path, script: Script) -> Terminal:
        """Begin a run that is kept, called tea."""
        (folder / "agent").mkdir()
        argv = script.argv(folder / "agent")
        it = self.screen("--keep", "tea", "--no-record", "--cwd", str(folder), "--", *argv)
        it.wait_for("○ ready")
        return it

    def attach(self) -> Terminal:
        return self.screen("attach", "tea")

    def run(self, *argv: str) -> str:
        """Run a command to its end; what it printed, and nothing on stderr."""
        ran = run_program(*argv, env=self.env)
        assert ran.stderr == b""
        return ran.stdout.decode()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as stack:
        yield Desk(tmp_path / "state", stack)


def stopped(desk: Desk, first: Terminal) -> None:
    """End the run; nothing of it is left."""
    assert desk.run("stop", "tea") == "stopped: tea\n"
    wait_until(lambda: living(first.marker) == [])
    assert list(Path(desk.env["XDG_STATE_HOME"]).rglob("kept/*")) == []


def folders(folder: Path) -> list[Path]:
    """Make a project called tea, and the folder of its agent."""
    made = [folder / "tea", folder / "agent"]
    for one in made:
        one.mkdir()
    return made


def same(one: Terminal, other: Terminal) -> None:
    """Wait until two screens show the same."""

    def are_same() -> bool:
        other._draw(0)
        return one.text == other.text

    one.wait_until(are_same, "the same screen")


@pytest.mark.slow
def test_after_a_crash_of_its_screen_a_run_goes_on_and_is_found_as_it_was(
    tmp_path: Path, desk: Desk
) -> None:
    script = Script().handshake().prompt().chunk("first leaves").ask_permission()
    script = script.expect_answer("ask").chunk(", then water").end_turn()
    first = desk.keep(tmp_path, script)
    first.type_line("brew")
    first.wait_for("first leaves")
    first.wait_for_keys()
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    (told,) = map(json.loads, desk.run("ps", "--json").splitlines())
    assert told["screens"] == []
    assert told["sessions"][0]["state"].startswith("waits for you: ")
    again, other = desk.attach(), desk.attach()
    for one in (again, other):
        one.wait_for("first leaves")
        one.wait_for_keys()
    again.send("1")
    other.wait_for("answered: Allow once")
    for one in (again, other):
        one.wait_for(", then water")
    same(other, again)
    os.kill(again.process.pid, signal.SIGHUP)
    assert again.wait_for_exit() == 129
    other.send(CTRL_Q)
    other.wait_for("Quit?")
    other.send(CTRL_Q)
    assert other.wait_for_exit() == 0
    assert "tea is kept running: acp-tui attach tea" in other.last_words
    stopped(desk, first)


@pytest.mark.slow
def test_any_run_can_be_kept_when_its_screen_is_left(tmp_path: Path, desk: Desk) -> None:
    (tea, agent), gate = folders(tmp_path), tmp_path / "gate"
    script = Script().handshake().prompt()
    script = script.request(
        "terminal/create", {"sessionId": "s1", "command": "sleep", "args": ["61"]}
    )
    script = script.expect_answer("create").chunk("first leaves").until(gate).ask_permission()
    script = script.expect_answer("ask").chunk(", then water").end_turn()
    first = desk.screen("--no-record", "--cwd", str(tea), "--", *script.argv(agent))
    first.wait_for("○ ready")
    first.type_line("brew")
    first.wait_for("first leaves")
    first.wait_until(lambda: len(first.processes) == 4, "the agent's command")
    first.send(CTRL_Q)
    first.wait_for("Quit?")
    first.wait_for_keys()
    first.send("1")
    assert first.wait_for_exit() == 0
    assert "tea is kept running: acp-tui attach tea" in first.last_words
    assert first.current_attributes() == first.attributes
    assert first.screen.mode == first.modes
    assert len(first.processes) == 3, "only the process in front has gone"
    first.hang_up()
    gate.touch()
    again = desk.attach()
    again.wait_for("Allow once")
    again.wait_for_keys()
    again.send("1")
    again.wait_for(", then water")
    stopped(desk, first)


def leave(desk: Desk, folder: Path, keep: bool, answer: str) -> tuple[Terminal, str, str]:
    """Leave a run after a turn, and answer the dialog. Return the terminal, what it printed last, and the
    command that continues the session.
    """
    tea, agent = folders(folder)
    argv = Script().handshake().prompt().chunk("It steeps.").end_turn().argv(agent)
    it = desk.screen(*(["--keep", "tea"] if keep else []), "--cwd", str(tea), "--", *argv)
    it.wait_for("○ ready")
    it.type_line("brew")
    it.wait_for("It steeps.")
    it.wait_for("○ ready")
    it.send(CTRL_Q)
    it.wait_for("Quit?")
    it.wait_for_keys()
    it.send(answer)
    assert it.wait_for_exit() == 0
    last_words = " ".join(it.last_words.split())
    return it, last_words, f"acp-tui --continue --cwd={tea} -- {shlex.join(argv)}"


@parametrize(1, "keep", [True, False])
def test_leaving_for_good_prints_what_continues_the_session(
    tmp_path: Path, desk: Desk, keep: bool
) -> None:
    it, last_words, command = leave(desk, tmp_path, keep, "2")
    assert f"continue with: {command}" in last_words
    assert "kept running" not in last_words
    wait_until(lambda: living(it.marker) == [])


@parametrize(1, "keep", [False, True])
def test_leaving_a_run_that_goes_on_also_prints_what_continues_it_once_it_has_ended(
    tmp_path: Path, desk: Desk, keep: bool
) -> None:
    it, last_words, command = leave(desk, tmp_path, keep, "1")
    attach = "tea is kept running: acp-tui attach tea"
    assert f"{attach} once it has ended, continue with: {command}" in last_words
    stopped(desk, it)


@pytest.mark.slow
def test_a_screen_that_comes_in_the_middle_of_a_stream_shows_the_same_in_the_end(
    tmp_path: Path, desk: Desk
) -> None:
    script = Script().handshake().prompt()
    for number in range(30):
        script = script.chunk(f"leaf {number}  \n")
    script = script.ask_permission().expect_answer("ask")
    for number in range(30, 60):
        script = script.chunk(f"leaf {number}  \n")
    first = desk.keep(tmp_path, script.end_turn())
    assert desk.run("send", "tea", "brew").startswith("sent: tea, session s1")
    first.wait_for("leaf 29")
    second = desk.attach()
    second.wait_for("leaf 29")
    second.wait_for_keys()
    second.send("1")
    for one in (first, second):
        one.wait_for("leaf 59")
    same(first, second)
    first.send(CTRL_Q)
    first.wait_for("Quit?")
    first.wait_for_keys()
    first.send("2")
    for one in (first, second):
        assert one.wait_for_exit() == 0
        assert "tea has ended: stopped by pts/" in one.last_words
    wait_until(lambda: living(first.marker) == [])


def test_a_key_typed_while_a_screen_is_stopped_allows_nothing_that_changed_meanwhile(
    tmp_path: Path, desk: Desk
) -> None:
    gate = tmp_path / "gate"
    ls = {"toolCallId": "t1", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}
    script = Script().handshake().prompt().ask_permission(ls).until(gate)
    script = script.tool_call_update(title="rm -rf ~", rawInput={"command": "rm -rf ~"})
    script = script.expect_answer("ask").end_turn()
    desk.keep(tmp_path, script)
    it = desk.attach()
    it.wait_for("○ ready")
    it.type_line("go")
    it.wait_for("$ ls")
    it.wait_for_keys()
    os.kill(it.pid, signal.SIGSTOP)
    gate.touch()
    wait_until(lambda: "rm -rf" in desk.run("ps", "--json"))
    it.send("1")
    os.kill(it.pid, signal.SIGCONT)
    it.wait_for("rm -rf ~")
    # It was read before the screen was drawn anew, or after; before the update, or after.
    refused = ("1 came too early to answer", "not allowed, because it has changed")
    it.wait_until(lambda: any(words in it.text for words in refused), "word of the key")
    it.send("x")  # with words in the prompt, no answer takes a key
    it.wait_until(lambda: not it.takes_keys(), "choices that take no keys")
    it.send("\x15")
    it.wait_for_keys()
    assert Played(tmp_path / "agent").answers(1001) == []
    it.send("1")
    it.wait_for("○ ready")
    assert len(Played(tmp_path / "agent").answers(1001)) == 1


def test_without_any_run_one_is_told_how_to_begin(desk: Desk) -> None:
    assert desk.run("ps") == "no run is kept; start one: acp-tui --keep -- COMMAND\n"


def test_without_a_terminal_it_is_told_that_no_such_run_is_kept(desk: Desk) -> None:
    ran = run_program("attach", "nope", env=desk.env)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"no run is called 'nope', and none is kept" in ran.stderr


def test_the_launcher_attaches_to_a_run_that_waits(tmp_path: Path, desk: Desk) -> None:
    script = Script().handshake().prompt().ask_permission().expect_answer("ask").end_turn()
    first = desk.keep(tmp_path, script)
    first.type_line("brew")
    first.wait_for("waiting for you")
    launcher = desk.screen()
    launcher.wait_for("waits for you: ")
    launcher.wait_for("Enter attach to this run")
    launcher.send(ENTER)
    launcher.wait_for_start("attach", "tea")


@pytest.mark.parametrize("argv", [("attach",), ("attach", "tea"), ("--keep", "a/b", "--", "x")])
def test_what_can_not_be_shown_is_told_before_anything_is_drawn(
    desk: Desk, argv: tuple[str, ...]
) -> None:
    it = desk.screen(*argv)
    assert it.wait_for_exit() == 2
    assert "start one: acp-tui --keep" in it.text or "a name has up to 40" in it.text
    it.assert_as_it_came()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "words", "code"),
    [
        (signal.SIGTERM, "tea has ended: ended by signal 15", 0),
        (signal.SIGKILL, "the connection to tea was lost", 1),
    ],
)
def test_however_the_process_in_the_background_ends_nothing_of_it_stays(
    tmp_path: Path, desk: Desk, number: int, words: str, code: int
) -> None:
    first = desk.keep(tmp_path, Script().handshake())
    facts = next(Path(desk.env["XDG_STATE_HOME"]).rglob("kept/tea.json"))
    os.kill(json.loads(facts.read_text())["pid"], number)
    assert first.wait_for_exit() == code
    assert words in first.last_words
    wait_until(lambda: living(first.marker) == [])
    first.assert_as_it_came()
    assert desk.run("ps").startswith("no run is kept")


def test_a_run_whose_agent_can_not_start_ends_with_its_screen(desk: Desk) -> None:
    it = desk.screen("--keep", "tea", "--no-record", "--", "/nonexistent/agent")
    it.wait_for("Can't start")
    it.send(CTRL_Q)
    assert it.wait_for_exit() == 0
    assert "tea ends with its last screen: its agents have ended" in it.last_words
    wait_until(lambda: living(it.marker) == [])
