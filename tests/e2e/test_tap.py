"""`acp-tui tap` between an editor and an agent: what passes is what was said."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.e2e.terminal import terminal
from tests.fake_agent.script import Script
from tests.hosting import PATIENCE, run_turn

CAT = ("cat",)


@contextmanager
def tapped(
    folder: Path, *argv: str, record: Path | None = None, options: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """Run an agent behind the tap; the test is the editor."""
    tap = (sys.executable, "-m", "acp_tui", "tap", "--record", str(record or folder / "it.jsonl"))
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*tap, *options, "--", *argv], stdin=pipe, stdout=pipe, stderr=pipe
    ) as it:
        try:
            yield it
        finally:
            it.kill()


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", code)


def read(it: subprocess.Popen[bytes], size: int) -> bytes:
    assert it.stdout is not None
    found = bytearray()
    while len(found) < size and (data := os.read(it.stdout.fileno(), size - len(found))):
        found += data
    return bytes(found)


def events(recording: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in recording.read_text("utf-8").splitlines()[1:]]


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[bytes]]:
    """One agent that says what it hears."""
    with tapped(tmp_path_factory.mktemp("tap"), *CAT) as it:
        yield it


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.binary(min_size=1), max_size=8))
def test_any_bytes_pass_however_they_are_split(
    echo: subprocess.Popen[bytes], parts: list[bytes]
) -> None:
    assert echo.stdin is not None
    for part in parts:
        os.write(echo.stdin.fileno(), part)
    said = b"".join(parts)
    assert read(echo, len(said)) == said


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[bytes]]:
    """The same behind a gate, which decides on each line."""
    folder = tmp_path_factory.mktemp("tap")
    with tapped(folder, *CAT, options=("--fault", "drop=#999999999")) as it:
        yield it


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=50)
@given(st.lists(st.binary(min_size=1) | st.sampled_from([b"\n", b"\r\n", b" \n"]), max_size=8))
def test_behind_a_gate_whole_lines_pass_as_they_are(
    guarded: subprocess.Popen[bytes], parts: list[bytes]
) -> None:
    assert guarded.stdin is not None
    for part in (*parts, b"\n"):
        os.write(guarded.stdin.fileno(), part)
    said = b"".join(parts) + b"\n"
    assert read(guarded, len(said)) == said


def test_faults_are_done_in_both_directions_and_recorded(tmp_path: Path) -> None:
    faults = ("out:drop=#1", "in:duplicate=#1", "fragment=#1", "out:delay=10ms")
    options = tuple(word for fault in faults for word in ("--fault", fault))
    with tapped(tmp_path, *CAT, options=options) as it:
        out, err = it.communicate(b'{"a":1}\n{"b":2}\n{"c":3}')
        assert (out, err) == (b'{"b":2}\n{"b":2}\n{"c":3}', b"")
    told = events(tmp_path / "it.jsonl")
    assert {one["fault"] for one in told if one.get("event") == "FaultInjected"} == set(faults)


def test_what_was_said_is_recorded_and_the_exit_code_is_the_agent_s(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('care\\n'); print(input()[::-1], flush=True); sys.exit(7)"
    with tapped(tmp_path, *python(code)) as it:
        out, err = it.communicate(b"abc\n")
        assert (out, err, it.returncode) == (b"cba\n", b"care\n", 7)
    told = events(tmp_path / "it.jsonl")
    assert {str(one["dir"]): one["raw"] for one in told if "dir" in one} == {
        "out": "abc",
        "in": "cba",
    }
    assert [one["text"] for one in told if one.get("event") == "StderrLine"] == ["care"]
    assert (told[0]["event"], told[-1]["event"]) == ("ProcessStarted", "ProcessExited")
    assert told[-1]["code"] == 7


def test_a_signal_that_ends_the_agent_ends_the_tap(tmp_path: Path) -> None:
    with tapped(tmp_path, *python("import os; os.kill(os.getpid(), 9)")) as it:
        assert it.wait() == -signal.SIGKILL


def test_a_signal_goes_on_to_the_agent(tmp_path: Path) -> None:
    code = (
        "import signal, sys; signal.signal(15, lambda *_: sys.exit(5)); "
        "print('up', flush=True); signal.pause()"
    )
    with tapped(tmp_path, *python(code)) as it:
        assert read(it, 3) == b"up\n"
        it.send_signal(signal.SIGTERM)
        assert it.wait() == 5


def test_an_end_of_input_is_one_for_the_agent_which_may_still_speak(tmp_path: Path) -> None:
    code = "import sys; said = sys.stdin.read(); print(len(said), flush=True)"
    with tapped(tmp_path, *python(code)) as it:
        out, _ = it.communicate(b"four")
        assert out == b"4\n"


def test_an_end_of_output_is_one_for_the_editor_while_the_agent_lives(tmp_path: Path) -> None:
    code = "import os, sys; os.close(1); os._exit(len(sys.stdin.readline()))"
    with tapped(tmp_path, *python(code)) as it:
        assert it.stdin is not None
        assert read(it, 1) == b""
        assert it.poll() is None
        it.stdin.write(b"ab\n")
        it.stdin.flush()
        assert it.wait() == 3


def test_an_editor_that_reads_no_more_is_told_to_the_agent(tmp_path: Path) -> None:
    code = (
        "import os, signal; signal.signal(13, signal.SIG_IGN)\n"
        "try:\n  while True: os.write(1, b'x' * 4096)\n"
        "except BrokenPipeError: os._exit(4)"
    )
    with tapped(tmp_path, *python(code)) as it:
        assert it.stdout is not None
        it.stdout.close()
        assert it.wait() == 4


def test_a_child_that_holds_the_output_holds_up_no_exit(tmp_path: Path) -> None:
    code = "import subprocess; print('bye', flush=True); subprocess.Popen(['sleep', '60'])"
    with tapped(tmp_path, *python(code)) as it:
        assert read(it, 4) == b"bye\n"
        assert it.wait(PATIENCE) == 0  # the child lives for twice as long


def test_a_long_line_passes_whole(tmp_path: Path) -> None:
    size = 50 * 1024 * 1024
    code = f"import os\nleft = {size}\nwhile left: left -= os.write(1, b'x' * min(left, 65536))"
    with tapped(tmp_path, *python(code)) as it:
        assert len(read(it, size)) == size
        assert it.wait() == 0


def test_what_can_not_be_recorded_passes_all_the_same(tmp_path: Path) -> None:
    with tapped(tmp_path, *CAT, record=Path("/dev/full")) as it:
        out, err = it.communicate(b"hello\n")
        assert (out, it.returncode) == (b"hello\n", 0)
        assert b"this is not recorded: No space left" in err


def test_a_command_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with tapped(tmp_path, "nonesuch") as it:
        _, err = it.communicate()
        assert it.returncode == 2
        assert err.startswith(b"acp-tui tap: Can't start 'nonesuch': no such command")
        assert b"Traceback" not in err


def test_a_turn_is_the_same_behind_the_tap(tmp_path: Path) -> None:
    recording = tmp_path / "it.jsonl"
    agent = Script().handshake().prompt().chunk("hello").end_turn().argv(tmp_path)
    tap = [sys.executable, "-m", "acp_tui", "tap", "--record", str(recording), "--"]
    ran = run_turn(argv=[*tap, *agent])
    assert (ran.code, ran.out) == (0, "hello\n")
    methods = [
        json.loads(str(one["raw"])).get("method")
        for one in events(recording)
        if one.get("dir") == "out"
    ]
    assert methods == ["initialize", "session/new", "session/prompt"]


def test_an_answer_is_recorded_after_its_request(tmp_path: Path) -> None:
    recording = tmp_path / "it.jsonl"
    with tapped(tmp_path, *CAT, record=recording) as it:
        assert it.stdin is not None
        for number in range(400):  # one thread passes on the request, another one the answer
            line = b"%03d\n" % number
            it.stdin.write(line)
            it.stdin.flush()
            assert read(it, len(line)) == line
        it.communicate()
    said = [(one["raw"], one["dir"]) for one in events(recording) if "dir" in one]
    assert said == [(f"{n:03}", way) for n in range(400) for way in ("out", "in")]


def test_an_agent_that_leaves_when_its_editor_does_did_not_end_by_itself(tmp_path: Path) -> None:
    recording = tmp_path / "it.jsonl"
    wait = "import sys; print(input(), flush=True); sys.stdin.read()"
    for code, sent, asked in ((wait, b"a\n", True), ("input()", b"a\n", False)):
        with tapped(tmp_path, *python(code)) as it:
            assert it.stdin is not None
            it.stdin.write(sent)
            it.stdin.flush()
            if not asked:
                it.wait()
            it.communicate()
        assert events(recording)[-1]["asked"] is asked
        recording.unlink()


@pytest.mark.parametrize(
    ("words", "whom"), [(("tap", "--", *CAT), "an editor"), (("mcp",), "an agent")]
)
def test_a_person_who_starts_it_in_a_terminal_learns_where_it_belongs(
    words: tuple[str, ...], whom: str
) -> None:
    with terminal(*words) as it:
        it.wait_for(f"this talks to {whom}")
