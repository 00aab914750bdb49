"""Sessions that another acp-tui has open are found by the recordings that it writes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.cli.options.session_opening import add_recorded_session, confirm_opening
from acp_tui.client.launch import Launch
from acp_tui.config.paths import recordings_folder
from acp_tui.index.sessions import OpenElsewhere, open_elsewhere
from acp_tui.state.commands import ContinueSession, NewSession, OpenSession
from acp_tui.store.files_in_use import mark_in_use
from tests.unit.debug.scenes import Wire
from tests.unit.index.test_index import record

COMMAND = ("tea-agent", "--acp")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@contextmanager
def written(made: Wire, name: str = "20260101-000000-tea-1") -> Iterator[Path]:
    """Let another acp-tui go on with a recording."""
    path = record(name, made, pid=4711)
    descriptor = os.open(path, os.O_RDWR)
    try:
        mark_in_use(descriptor)
        yield path
    finally:
        os.close(descriptor)


def test_an_unfinished_turn_is_found_with_who_runs_it() -> None:
    with written(Wire().prompted()) as path:
        (one,) = open_elsewhere(recordings_folder())
        assert one == OpenElsewhere("s", "/w", COMMAND, 4711, True, path)
        assert one.words == "open in another terminal (pid 4711), a turn is running"
        assert open_elsewhere(recordings_folder(), ("/w", COMMAND)) == [one]
        for other in (("/elsewhere", COMMAND), ("/w", ("coffee-agent",))):
            assert open_elsewhere(recordings_folder(), other) == []
    assert open_elsewhere(recordings_folder()) == [], "it has quit"


def test_a_session_whose_turn_is_over_is_open_all_the_same() -> None:
    with written(Wire().prompted().ended()):
        (one,) = open_elsewhere(recordings_folder())
        assert one.words == "open in another terminal (pid 4711)"
        assert one._replace(pid=None).words == "open in another terminal"


def test_what_is_no_recording_hides_no_other() -> None:
    with written(Wire().prompted()), written(Wire(), "20260102-000000-tea-2") as broken:
        broken.write_text("no header\n")
        assert len(open_elsewhere(recordings_folder())) == 1


@pytest.mark.parametrize(
    ("opening", "is_reported"),
    [
        (OpenSession("s"), True),
        (ContinueSession(), True),
        (OpenSession("another"), False),
        (NewSession(), False),
    ],
)
def test_no_session_gets_a_second_client_silently(
    opening: OpenSession | ContinueSession | NewSession,
    is_reported: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    launch = replace(Launch(COMMAND, "/w"), opening=opening)
    with written(Wire().prompted()):
        confirm_opening(launch)
    said = "acp-tui: session s is open in another terminal (pid 4711), a turn is running\n"
    assert capsys.readouterr().err == (said if is_reported else "")


def test_the_newest_session_is_continued_though_another_has_it_open() -> None:
    older = Wire().initialized().load(1, "older").got(id=1, result={})
    prompt = [{"type": "text", "text": "hi"}]
    older.out(id=2, method="session/prompt", params={"sessionId": "older", "prompt": prompt})
    record("20251231-000000-tea-1", older.ended())
    launch = replace(Launch(COMMAND, "/w"), opening=ContinueSession())
    with written(Wire().later(10).prompted().ended()) as path:
        continued = add_recorded_session(launch, confirm_opening(launch)).opening
        assert continued == ContinueSession("s", str(path))
