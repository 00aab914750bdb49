"""An agent is restarted when its source changes: between turns, whichever way the files are written."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.process_events import ProcessStarted, SourceChanged
from acp_tui.state.commands import Cancel
from tests.fake_agent.script import Script
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio
RESUME: dict[str, Any] = {"agentCapabilities": {"sessionCapabilities": {"resume": {}}}}


def resumes() -> Script:
    """The agent, started again."""
    script = Script().initialize(RESUME).expect("session/resume", {"sessionId": "s1"})
    return script.reply("resume").expect_eof()


def agent(folder: Path, script: Script) -> list[str]:
    return script.argv(folder, resumes(), resumes())


def starts(host: Host) -> int:
    return sum(isinstance(event, ProcessStarted) for event in host.events)


def changed(host: Host) -> list[tuple[str, ...]]:
    return [event.files for event in host.events if isinstance(event, SourceChanged)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The folder of its source, with one file."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "agent.py").write_text("one")
    return folder


async def until_watched(host: Host, file: Path) -> None:
    """Write until a change has been seen: the system needs a moment before it tells of any."""
    for text in range(100):
        file.write_text(str(text))
        try:
            await host.until(lambda: changed(host), 0.5)
        except TimeoutError:
            continue
        return


async def test_a_change_in_a_folder_restarts_it_with_its_session(
    tmp_path: Path, source: Path
) -> None:
    argv = agent(tmp_path, Script().handshake().prompt().chunk("one").end_turn().expect_eof())
    async with hosting(argv, tmp_path, watched=(source,)) as host:
        await host.turn("hi")
        below = source / "below"
        below.mkdir()
        await until_watched(host, below / "part.py")
        await host.until(lambda: starts(host) == 2 and host.state.open_sessions())
        assert host.notices[-1].description.startswith("Its source changed: ")  # type: ignore[union-attr]


async def test_a_file_that_an_editor_puts_in_its_place_is_watched_on(
    tmp_path: Path, source: Path
) -> None:
    argv = agent(tmp_path, Script().handshake().prompt().chunk("one").end_turn().expect_eof())
    file = source / "agent.py"
    async with hosting(argv, tmp_path, watched=(file,)) as host:
        await host.turn("hi")
        (source / "other.py").write_text("not watched")
        await until_watched(host, file)
        await host.until(lambda: starts(host) == 2 and host.state.open_sessions())
        (source / "agent.py~").write_text("two")
        (source / "agent.py~").replace(file)
        await host.until(lambda: starts(host) == 3)
        assert set(changed(host)) == {("agent.py",)}


async def test_a_turn_that_runs_is_not_cut(tmp_path: Path, source: Path) -> None:
    argv = agent(
        tmp_path,
        Script()
        .handshake()
        .prompt()
        .chunk("slow")
        .expect("session/cancel")
        .end_turn("cancelled")
        .expect_eof(),
    )
    async with hosting(argv, tmp_path, watched=(source,)) as host:
        await host.opened()
        host.prompt("hi")
        await host.until(lambda: host.said)
        await until_watched(host, source / "agent.py")
        assert (starts(host), host.state.peer.restart.source is not None) == (1, True)
        host.do(Cancel("s1"))
        assert (await host.turn_ended()).lost is None
        await host.until(lambda: starts(host) == 2)
