"""`acp-tui run`: however it ends, it is quiet and leaves no process behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from acp_tui.host.leave import REPEAT_INTERVAL
from tests.examples import parametrize
from tests.fake_agent.script import Played, Script
from tests.hosting import PATIENCE, command, living, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


@contextmanager
def started(words: list[str], marker: str, **pipes: int) -> Iterator["subprocess.Popen[bytes]"]:
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = {**os.environ, "MARKER": marker}
    process = subprocess.Popen(words, env=env, **{**streams, **pipes})  # type: ignore[call-overload]
    try:
        yield process
    finally:
        for pid in living(marker):
            os.kill(pid, signal.SIGKILL)
        process.communicate()


def said(process: "subprocess.Popen[bytes]") -> None:
    """Wait for the agent's first line."""
    assert process.stdout is not None
    assert process.stdout.readline() == b"busy\n"


def working() -> Script:
    """A turn under way, with a command and grandchildren."""
    script = Script().handshake().spawn_grandchild().spawn_grandchild(ignores_sigterm=True).prompt()
    sleep = {"sessionId": "s1", "command": "sleep", "args": ["61"]}
    return script.request("terminal/create", sleep).expect_answer("create").chunk("busy\n")


@pytest.fixture
def marker() -> str:
    return f"marker-{uuid4().hex}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_turn_and_leaves_nothing(
    tmp_path: Path, marker: str, number: signal.Signals
) -> None:
    script = working().expect("session/cancel").end_turn("cancelled")
    with started(command(argv=script.argv(tmp_path)), marker) as process:
        said(process)
        wait_until(lambda: len(living(marker)) == 5)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        *_, interrupted, ran = err.decode().splitlines()
        assert (interrupted, ran) == ("acp-tui: interrupted", "ran sleep 61: SIGTERM")
        assert living(marker) == []
    Played(tmp_path).check()


NEVER_IN_TIME = """
from acp_tui.client.process import carrier
assert carrier.EXIT_TIMEOUT < 600
carrier.EXIT_TIMEOUT = 600
from acp_tui.__main__ import main
main()
"""


def test_a_second_interrupt_does_not_wait(tmp_path: Path, marker: str) -> None:
    script = working().ignore_eof().ignore_sigterm().expect("session/cancel")
    words = [sys.executable, "-c", NEVER_IN_TIME, *command(argv=script.argv(tmp_path))[3:]]
    with started(words, marker) as process:
        said(process)
        process.send_signal(signal.SIGINT)
        wait_until(lambda: Played(tmp_path).calls("session/cancel"))
        heard = time.monotonic()
        wait_until(
            lambda: time.monotonic() > heard + REPEAT_INTERVAL
        )  # at once it would be the same wish
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert b"Traceback" not in err
        assert living(marker) == []


def test_a_storm_of_signals_leaves_nothing(tmp_path: Path, marker: str) -> None:
    script = working().ignore_eof().ignore_sigterm()
    with started(command(argv=script.argv(tmp_path)), marker) as process:
        said(process)
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] * 20:
            process.send_signal(number)
            time.sleep(0.01)
        process.communicate(timeout=PATIENCE)
        assert living(marker) == []


@pytest.mark.parametrize(
    "script",
    [
        Script().ignore_eof().ignore_sigterm().stderr("up\n"),
        Script().initialize().expect("session/new").stderr("up\n"),
    ],
)
def test_an_interrupt_before_the_session(tmp_path: Path, marker: str, script: Script) -> None:
    with started(command(argv=script.argv(tmp_path)), marker) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"agent: up\n"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert living(marker) == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_reader_that_leaves_ends_the_turn_quietly(tmp_path: Path, marker: str, form: str) -> None:
    script = Script().handshake().prompt().chunk("busy\n").sleep(0.2).chunk("more\n", times=1000)
    script.expect("session/cancel").end_turn("cancelled")
    words = command("--format", form, argv=script.argv(tmp_path))
    with started(words, marker) as process:
        assert process.stdout is not None
        while b"busy" not in process.stdout.readline():
            pass
        process.stdout.close()
        assert process.wait(PATIENCE) == 130
        assert process.stderr is not None
        assert b"rror" not in process.stderr.read().replace(b"stderr", b"")
        assert living(marker) == []
    Played(tmp_path).check()


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="needs /dev/full")
def test_a_full_disk_is_told(tmp_path: Path, marker: str) -> None:
    script = Script().handshake().prompt().chunk("x\n").expect("session/cancel").end_turn()
    with Path("/dev/full").open("wb") as full:
        words = command(argv=script.argv(tmp_path))
        ran = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE)
    assert ran.returncode == 1
    assert ran.stderr == b"acp-tui: can't write the output: No space left on device\n"


@parametrize(1, "closed", ["<&- >&- 2>&-", "<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_crash(tmp_path: Path, closed: str) -> None:
    argv = Script().handshake().prompt().chunk("Hello").end_turn().argv(tmp_path)
    words = ["sh", "-c", f'exec "$@" {closed}', "sh", *command(argv=argv)]
    ran = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    Played(tmp_path).check()
    assert ran.returncode == 0
    assert ran.stdout == (b"" if ">&-" in closed.replace("2>&-", "") else b"Hello\n")
    assert ran.stderr == b""


PIECE = 10_000


def deaf_turn() -> Script:
    """A turn with more output than a pipe holds, and a question after it."""
    script = Script().handshake().prompt().chunk("x" * PIECE, times=100)
    return script.request("_there", {}, id="there?").expect_answer("_there", error={})


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_reader_that_stops_reading_holds_up_no_agent(
    tmp_path: Path, marker: str, form: str
) -> None:
    words = command("--format", form, argv=deaf_turn().end_turn().expect_eof().argv(tmp_path))
    with started(words, marker) as process:
        wait_until((tmp_path / "run-1" / "report.json").exists)
        wait_until(lambda: Played(tmp_path).answers("there?"))
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, b"")
        assert out.count(b"x") >= 100 * PIECE
    Played(tmp_path).check()


def test_who_leaves_waits_for_no_reader(tmp_path: Path, marker: str) -> None:
    script = deaf_turn().stderr("I go on\n").expect("session/cancel").end_turn("cancelled")
    with started(command(argv=script.argv(tmp_path)), marker) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"agent: I go on\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert living(marker) == []
    Played(tmp_path).check()


def test_after_a_turn_nothing_is_left(tmp_path: Path, marker: str) -> None:
    script = working().end_turn()
    with started(command(argv=script.argv(tmp_path)), marker) as process:
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert living(marker) == []


def test_a_pipe_to_head_as_a_shell_makes_it(tmp_path: Path, marker: str) -> None:
    script = Script().handshake().prompt().chunk("line\n" + "x" * 1000, times=200).end_turn()
    with started(command(argv=script.argv(tmp_path)), marker) as process:
        assert process.stdout is not None
        head = ["head", "-n", "1"]
        ran = subprocess.run(head, stdin=process.stdout, capture_output=True, timeout=PATIENCE)
        process.stdout.close()
        _, err = process.communicate(timeout=PATIENCE)
    assert (ran.stdout, err) == (b"line\n", b"")
