"""The sessions that our recordings know of an agent: for one that keeps no list itself."""

from collections.abc import AsyncIterator, Sequence

from anyio import to_thread

from acp_tui.archive.helper import ASKED_FOR, helper
from acp_tui.archive.index import Index
from acp_tui.archive.search import RecentSession, recent_sessions, said_in
from acp_tui.config.paths import archive_file
from acp_tui.ui.retelling import retell_recorded

MOST = 1_000
"""Sessions, of all agents, among which those of one are looked for."""


async def recorded_sessions(place: Sequence[str]) -> AsyncIterator[list[RecentSession]]:
    """List the sessions of the agent that has this folder and command, the latest first: those that the
    index knows, then with those that it lacked. Raises OSError or sqlite3.Error.
    """
    yield await to_thread.run_sync(_read, place, abandon_on_cancel=True)
    async with helper("acp_tui.archive.keeper", ASKED_FOR) as process:
        await process.wait()
    yield await to_thread.run_sync(_read, place, abandon_on_cancel=True)


async def retold(session_id: str) -> str | None:
    """Return what a new session is told of a recorded one. Raises OSError or sqlite3.Error."""
    return await to_thread.run_sync(_retell, session_id, abandon_on_cancel=True)


def _read(place: Sequence[str]) -> list[RecentSession]:
    with Index.open(archive_file()) as index:
        found = recent_sessions(index, MOST)
    return [one for one in found if [one.cwd, *one.command] == list(place) and not one.place]


def _retell(session_id: str) -> str | None:
    with Index.open(archive_file()) as index:
        return retell_recorded(said_in(index, session_id))
