"""A screen attached to a tap: it sees what passes, holds it, and leaves nothing held behind."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest

from acp_tui.cli.main import run
from acp_tui.config.paths import taps_folder
from acp_tui.kept.messages import format_hello, format_message, write_command
from acp_tui.kept.run_places import KeptRunError, living_runs
from acp_tui.kept.tap_server import find_tap
from acp_tui.proxy.tap_streams import write_all
from acp_tui.recordings.long_frames import HUGE
from acp_tui.state.commands import (
    Command,
    DropFrame,
    ReleaseFrame,
    SendPrompt,
    SetBreakpoint,
    SetFault,
)
from tests.e2e.terminal import ESCAPE, Terminal
from tests.e2e.test_tap import CAT, events, read, tapped
from tests.hosting import PATIENCE, wait_until

ASKED = b'{"jsonrpc":"2.0","id":1,"method":"session/list"}\n'
OTHER = b'{"jsonrpc":"2.0","method":"session/cancel"}\r\n'


class Screen:
    """What attaches: it asks, and waits for records."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("rb")
        connection.sendall(format_hello("attach", "a test"))

    def die(self) -> None:
        self._connection.shutdown(socket.SHUT_RDWR)

    def do(self, command: Command) -> None:
        self._connection.sendall(format_message(do=1, **write_command(command)))

    def until(self, words: str) -> dict[str, object]:
        for line in self._lines:
            number, _, record = line.partition(b" ")
            if number == b"1" and words.encode() in record:
                found: dict[str, object] = json.loads(record)
                return found
        raise AssertionError(f"the tap is gone, without {words}")


@contextmanager
def attached() -> Iterator[Screen]:
    """A screen, as soon as the tap listens: it has its lock a moment before."""
    reached: list[socket.socket] = []

    def reach() -> bool:
        with suppress(KeptRunError):
            reached.append(find_tap(taps_folder(), "").connect(PATIENCE))
        return bool(reached)

    wait_until(reach)
    with reached[0] as connection:
        screen = Screen(connection)
        yield screen
        screen.die()


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_the_screen_of_a_tap_only_shows(tmp_path: Path) -> None:
    with tapped(tmp_path, *CAT) as it:
        assert it.stdin is not None
        os.write(it.stdin.fileno(), ASKED)
        assert read(it, len(ASKED)) == ASKED
        env = {"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}
        with closing(Terminal(["--attach-tap"], (80, 24), env)) as shown:
            shown.wait_for("session/list")
            shown.send(ESCAPE)
            shown.wait_for("A tap: only its editor sends")
            shown.wait_for("What the editor and its agent say comes here.")


def test_a_frame_is_held_released_and_let_go_when_the_screen_dies(tmp_path: Path) -> None:
    with tapped(tmp_path, *CAT) as it:
        assert it.stdin is not None
        sink = it.stdin.fileno()
        os.write(sink, ASKED)  # what came before the screen is shown to it
        assert read(it, len(ASKED)) == ASKED
        socket_file = living_runs(taps_folder())[0].socket
        assert socket_file.stat().st_mode & 0o777 == 0o600
        with attached() as screen:
            screen.until("session/list")
            screen.do(SendPrompt("s", ()))  # the editor's to do: nothing comes of it
            screen.do(SetBreakpoint("dir:out method:session/list"))
            screen.until("BreakpointSet")
            os.write(sink, ASKED)
            held = screen.until("FrameHeld")
            os.write(sink, OTHER)  # all else goes on, byte for byte
            assert read(it, len(OTHER)) == OTHER
            number = held["frame"]
            assert isinstance(number, int)
            screen.do(ReleaseFrame(number, ASKED.replace(b"1", b"2")))
            assert read(it, len(ASKED)) == ASKED.replace(b"1", b"2")
            os.write(sink, ASKED)
            screen.until("FrameHeld")
        assert read(it, len(ASKED)) == ASKED
        os.write(sink, ASKED)
        assert read(it, len(ASKED)) == ASKED


@pytest.mark.slow
def test_a_line_too_long_for_memory_is_shown_and_recorded_whole(tmp_path: Path) -> None:
    line = b'{"jsonrpc":"2.0","method":"x/long","params":"%b"}' % ("\u2615".encode() * (HUGE // 3))
    with tapped(tmp_path, *CAT) as it:
        assert it.stdin is not None
        with attached() as screen:
            writing = Thread(target=write_all, args=(it.stdin.fileno(), line + b"\n"))
            writing.start()
            assert read(it, len(line) + 1) == line + b"\n"
            writing.join()
            shown = [screen.until("x/long") for _ in range(2)]
        it.stdin.close()
        assert it.wait() == 0
    recorded = [one for one in events(tmp_path / "it.jsonl") if "dir" in one]
    assert [one["raw"] for one in (*shown, *recorded)] == [line.decode()] * 4


@pytest.mark.parametrize("fault", ["late-answer=60m,100%", "delay=60m", "out:stall-stdin=60m,100%"])
def test_what_a_screen_set_ends_with_it_however_long_it_was_to_last(
    tmp_path: Path, fault: str
) -> None:
    answer = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    with tapped(tmp_path, *CAT) as it:
        assert it.stdin is not None
        sink = it.stdin.fileno()
        wait_until(lambda: living_runs(taps_folder()))
        with attached() as screen:
            screen.do(SetFault(fault))
            screen.until("FaultSet")
            os.write(sink, answer)
            screen.until("FaultInjected")
        assert read(it, len(answer)) == answer
        os.write(sink, OTHER)
        assert read(it, len(OTHER)) == OTHER


def test_a_screen_is_told_that_a_frame_went_before_it_acted(tmp_path: Path) -> None:
    with tapped(tmp_path, *CAT) as it:
        assert it.stdin is not None
        wait_until(lambda: living_runs(taps_folder()))
        with attached() as screen:
            screen.do(SetBreakpoint("dir:out"))
            screen.until("BreakpointSet")
            os.write(it.stdin.fileno(), ASKED)
            number = screen.until("FrameHeld")["frame"]
            assert isinstance(number, int)
            screen.do(ReleaseFrame(number))
            screen.do(DropFrame(number))
            told = screen.until("ClientNotice")
            assert told["title"] == f"#{number} is no longer held"
            assert told["description"] == "it was passed on as it was before, and is not dropped"
        assert read(it, len(ASKED)) == ASKED


def test_what_is_held_at_the_end_still_arrives(tmp_path: Path) -> None:
    with tapped(tmp_path, *CAT) as it:
        assert it.stdin is not None
        with attached() as screen:
            screen.do(SetBreakpoint("dir:out"))
            screen.until("BreakpointSet")
            out, _ = it.communicate(ASKED + b"no newline")
            assert out == ASKED + b"no newline"
            assert it.returncode == 0


def test_a_tap_that_is_not_there_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(KeptRunError, match="no tap runs; begin one"):
        find_tap(taps_folder(), "")
    with tapped(tmp_path, *CAT):
        wait_until(lambda: living_runs(taps_folder()))
        with pytest.raises(KeptRunError, match="no tap is called 'x'; there are: "):
            find_tap(taps_folder(), "x")
    with pytest.raises(SystemExit):
        run(["--attach-tap", "--", "agent"])
    assert "leave out -- and what follows" in capsys.readouterr().err
