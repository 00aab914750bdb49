"""The sessions that our recordings know of an agent: for one that keeps no list itself."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from anyio import to_thread

from acp_tui.config.paths import archive_file
from acp_tui.index.background import ASKED_FOR, helper
from acp_tui.index.index import Index
from acp_tui.index.passages import PassageKind
from acp_tui.index.search import RecentSession, newest_recording, sessions_of_agent
from acp_tui.index.sessions import read_said

MOST_SESSIONS = 1_000
"""Sessions, of all agents, among which those of one are looked for."""


async def recorded_sessions(place: Sequence[str]) -> AsyncIterator[list[RecentSession]]:
    """List the sessions of the agent that has this folder and command, the latest first: those that the
    index knows, then with those that it lacked. An agent that opens none again is told of one, wherever
    that was: those of its folder come first. Raises OSError or sqlite3.Error.
    """
    yield await to_thread.run_sync(_read, place, abandon_on_cancel=True)
    async with helper("acp_tui.index.background", ASKED_FOR) as process:
        await process.wait()
    yield await to_thread.run_sync(_read, place, abandon_on_cancel=True)


async def said_before(
    session_id: str, place: Sequence[str], recording: str = ""
) -> list[tuple[PassageKind, str]]:
    """List what was said and done in a recorded session: in this recording, or else in the newest one of
    the agent that had this folder and command, also if that ended just now; nothing if none has it.

    Raises OSError, sqlite3.Error or RecordingError.
    """
    said = await to_thread.run_sync(_said, session_id, place, recording, abandon_on_cancel=True)
    if not said:
        async with helper("acp_tui.index.background", ASKED_FOR) as process:
            await process.wait()
        said = await to_thread.run_sync(_said, session_id, place, recording, abandon_on_cancel=True)
    return said


def _read(place: Sequence[str]) -> list[RecentSession]:
    with Index.open(archive_file()) as index:
        folder, *command = place
        return sessions_of_agent(index, folder, command, MOST_SESSIONS)


def _said(session_id: str, place: Sequence[str], recording: str) -> list[tuple[PassageKind, str]]:
    folder, *command = place
    found: Path | None = Path(recording)
    if not recording:
        with Index.open(archive_file()) as index:
            found = newest_recording(index, session_id, command, folder)
    return read_said(found, session_id) if found is not None else []
