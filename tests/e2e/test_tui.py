"""The whole program in a terminal: it does a turn, stays quick, and leaves as it came."""

import os
import shlex
import signal
from functools import partial
from pathlib import Path

import pytest

from tests.e2e.terminal import ENTER, ESCAPE, Terminal, terminal
from tests.examples import parametrize
from tests.fake_agent.script import Script
from tests.hosting import PATIENCE

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

RESTART = "\x1ba"
READY = "Ask the agent"
ALTERNATE_SCREEN = 1049 << 5
"""As pyte keeps private modes."""
FAST = {"ACP_DEMO_SPEED": "0"}
ANEW = {"PYTHONUTF8": "1"}
"""Starts it anew, and not as a fork of what has loaded all widgets, whose keys are moved before that."""


def test_a_turn_with_a_question_and_out_again(tmp_path: Path) -> None:
    """The question is whole in a small terminal, and stderr may go to a file."""
    told = tmp_path / "stderr"
    with (
        told.open("wb") as file,
        terminal("demo", "--no-record", size=(80, 24), env=FAST, stderr=file.fileno()) as it,
    ):
        it.wait_for(READY)
        assert ALTERNATE_SCREEN in it.screen.mode
        it.type_line("show me everything")
        it.wait_for("asks for permission")
        for words in ("MINUTES.get(tea, 3)", 'return f"{tea} tea', "No, and never ask again"):
            it.wait_for(words)
        it.wait_until(lambda: "PgDn" not in it.text, "nothing of it below")
        assert len(it.processes) == 3, "ours, the one in front of it, and the agent"
        it.wait_for_keys()
        it.send("1")
        it.wait_until(lambda: "asks for permission" not in it.text, "closed dialog")
        it.wait_for("Enter send")
        it.wait_for("Now start your own agent")
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
    assert told.read_bytes() == b""


def test_keys_are_those_of_the_settings(tmp_path: Path) -> None:
    settings = tmp_path / "acp-tui" / "settings.toml"
    settings.parent.mkdir()
    settings.write_text('[keys.prompt]\n"Ctrl+J" = "Ctrl+X"\n[keys.everywhere]\nF1 = "F11"\n')
    own = {"XDG_CONFIG_HOME": str(tmp_path)}
    argv = Script().handshake().argv(tmp_path)
    with terminal("--no-record", "--", *argv, env=own | ANEW) as it:
        it.wait_for("Ctrl+X new line")
        it.wait_for("F11 keys")
        it.send("one")
        it.wait_for("▌ one")
        rows = it.text.count("▌")
        it.send("\x18")
        it.wait_until(lambda: it.text.count("▌") > rows, "new line")
        it.send("two")
        it.wait_for("▌ two")
        it.send("\x1b[23~")
        it.wait_for("Shift+Enter, Alt+Enter, Ctrl+X  New line; also ")
        it.send(ESCAPE)
        it.wait_for("▌ two")
        it.leave()
        assert it.wait_for_exit() == 0


@pytest.mark.slow
def test_a_console_without_icons_gets_ascii() -> None:
    with terminal("demo", "--no-record", size=(100, 60), env={**FAST, "LC_ALL": "C"}) as it:
        it.wait_for(READY)
        it.type_line("show me everything")
        it.wait_for("* Demo agent asks for permission")
        it.wait_for("+ once    Yes, change it")
        assert [row for row in it.text.split("\n") if not row.isascii()] == []
        it.wait_for_keys()
        it.send("1")
        it.wait_for("Now start your own agent")
        it.wait_for("| A watched pot")
        rows = [row for row in it.text.split("\n") if not row.isascii()]
        assert [row for row in rows if "°" not in row and "🫖" not in row] == []


def test_keys_that_come_at_once_are_done_in_their_order_and_the_cursor_is_where_they_write(
    tmp_path: Path,
) -> None:
    """They come at once over a slow line, and when the machine is busy. Input methods write at the cursor."""
    argv = Script().handshake().argv(tmp_path)
    with terminal("--no-record", "--", *argv) as it:
        it.wait_for("○ ready")
        it.send("lost\x15gone\x01\x0bteb\x7fa\x1b[D\x1b[DX\x1b[H>")
        it.wait_for(">tXea")
        it.send("\x1b[F\x15\x1bj\x1bk\x1b[Ctea")  # Alt+J and Alt+K are bound to nothing
        it.wait_for("▌ tea")
        assert "^" not in it.text
        it.send("\x15漢字かな")
        it.wait_for("▌ 漢字かな")
        row = next(y for y, line in enumerate(it.text.split("\n")) if "漢" in line)
        it.wait_until(lambda: (it.screen.cursor.x, it.screen.cursor.y) == (10, row), "caret")
        it.send("\x1b[D")
        it.wait_until(lambda: it.screen.cursor.x == 8, "caret")


@pytest.mark.slow
def test_keys_show_while_a_flood_streams() -> None:
    with terminal("demo", "--no-record", size=(200, 60), env=FAST) as it:
        it.wait_for(READY)
        it.type_line("/flood 10000000")
        it.wait_for("Esc cancel")
        for number in range(1, 4):
            it.send("typewriter"[number - 1])
            it.wait_for("▌ " + "typewriter"[:number])
        assert "Esc cancel" in it.text
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()


@pytest.mark.parametrize(
    "way",
    [
        "hang up",
        # test_a_signal_ends_all_of_them sends a signal, too
        *(pytest.param(way, marks=pytest.mark.slow) for way in ("SIGTERM", "SIGHUP", "SIGINT")),
    ],
)
def test_escape_cancels_a_turn_and_who_is_sent_away_in_one_leaves_nothing(way: str) -> None:
    with terminal("demo", "--no-record") as it:
        it.wait_for(READY)
        it.type_line("/slow")
        it.wait_for("2. tock")
        it.send(ESCAPE)
        it.wait_for("Enter send")
        it.wait_for("ancel")
        assert "20. tock" not in it.text
        it.wait_for("○ ready")
        it.type_line("/slow")
        it.wait_until(lambda: it.text.count("1. tick") == 2, "the next turn")
        if way == "hang up":
            it.hang_up()
            assert it.process.wait(PATIENCE) == 129
        else:
            number = signal.Signals[way]
            os.kill(it.process.pid, number)
            assert it.wait_for_exit() == 128 + number
            it.assert_as_it_came()
        assert it.processes == []


def test_an_agent_that_exits_is_told_of_and_a_prompt_waits_until_it_is_started_again(
    tmp_path: Path,
) -> None:
    answers = Script().handshake().prompt().chunk("here I am").end_turn().argv(tmp_path)
    first, second = tmp_path / "first", tmp_path / "second"
    dies = "echo no key in the lock >&2; exit 7"
    until_killed = "trap '' TERM INT HUP; exec >&-; while :; do sleep 0.1; done"
    one_of_them = (
        f"if [ ! -e {first} ]; then touch {first}; {dies}; fi; "
        f"if [ ! -e {second} ]; then touch {second}; {until_killed}; fi; "
        f"exec {shlex.join(answers)}"
    )
    with terminal("--no-record", "--", "sh", "-c", one_of_them) as it:
        it.wait_for("r restart")
        assert "no key in the lock" in it.text
        assert "exited with code 7" in it.text
        it.send(RESTART)
        it.wait_for("closed its output")
        it.wait_for("r restart")
        it.send(RESTART)
        it.wait_for("starting agent")
        it.type_line("hello")
        it.wait_for("here I am")
        assert "not sent" not in it.text
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()


@parametrize(1, "arguments", [[], ["find"]])
def test_other_screens_have_the_keys_of_the_settings(tmp_path: Path, arguments: list[str]) -> None:
    settings = tmp_path / "acp-tui" / "settings.toml"
    settings.parent.mkdir()
    settings.write_text('[keys.launcher]\nEsc = "F11"\n[keys.find]\nEsc = "F11"\n')
    with terminal(*arguments, env={"XDG_CONFIG_HOME": str(tmp_path)} | ANEW) as it:
        it.wait_for("F11 quit")
        it.send("\x1b[23~")
        assert it.wait_for_exit() == 0


def test_the_launcher_has_the_theme_of_its_option_and_so_has_what_it_starts() -> None:
    """It becomes what it starts, and hands on the theme by the variable that stands for the setting."""
    with terminal("--theme", "paper") as it:
        it.wait_for("Start an agent")
        paper = it.screen.buffer[0][0].bg
        it.send("demo" + ENTER)
        demo = it.wait_for_start("demo")
        assert b"\0ACP_TUI_THEME=paper\0" in (demo / "environ").read_bytes()
    with terminal("demo", "--no-record", env=FAST | {"ACP_TUI_THEME": "paper"}) as it:
        it.wait_for(READY)
        assert it.screen.buffer[0][0].bg == paper
    with terminal() as it:
        it.wait_for("Start an agent")
        assert it.screen.buffer[0][0].bg != paper


def test_a_folder_alone_opens_the_launcher_there(tmp_path: Path) -> None:
    project = tmp_path / "tea house"
    project.mkdir()
    with terminal("--cwd", str(project)) as it:
        it.wait_for("tea house")
        it.wait_for("Start an agent")
        it.leave()
        assert it.wait_for_exit() == 0
    with terminal("--cwd", str(tmp_path / "gone")) as it:
        assert it.wait_for_exit() == 2
        assert "is not a directory" in it.text.replace("\n", "")


@pytest.mark.parametrize("option", ["--continue", "--resume"])
def test_without_an_agent_a_session_to_continue_is_chosen_in_the_launcher(option: str) -> None:
    with terminal(option) as it:
        it.wait_for("Start an agent")


def lacks(it: Terminal, words: str) -> bool:
    return words not in it.text


@pytest.mark.slow
def test_the_screen_is_drawn_in_ascii_as_soon_as_that_is_set(tmp_path: Path) -> None:
    own = {"XDG_CONFIG_HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    with terminal("demo", "--no-record", env=FAST | own | ANEW) as it:
        it.wait_for(READY)
        it.send("\x1b[21~")
        it.wait_for("╭─ Settings")
        it.send("icons" + ENTER)
        it.wait_for("○ ascii")
        it.send("ascii" + ENTER)
        it.wait_for("+- Settings")
        it.send(ESCAPE)
        it.wait_for(READY)
        it.wait_until(lambda: it.text.isascii(), "all of it in ASCII")
        it.type_line("/tools")
        it.wait_for("opened itself")
        for keys, words in (
            ("\x1b[21~", "Search the settings"),  # F10
            ("\x1bOP", "Search keys"),  # F1
            ("\x1bOR", "Search the themes"),  # F3
            ("\x1bOS", "Options of"),  # F4
            ("\x1b[18~", "Review:"),  # F7
            ("\x1b[19~", "Notifications"),  # F8
            ("\x1b[24~", "session/prompt"),  # F12
            ("\x1bx", "What do you want to do?"),  # Alt+X
            ("\x1bo", "Export this"),  # Alt+O
            ("\x0f", "Search title"),  # Ctrl+O
        ):
            it.send(keys)
            it.wait_for(words)
            it.wait_until(lambda: it.text.isascii(), f"{words} in ASCII")
            it.send(ESCAPE)
            it.wait_until(partial(lacks, it, words), f"no {words}")
        it.leave()
        assert it.wait_for_exit() == 0
