"""The page of a recorded session, for agents that can't load it; recordings are found through their
index.
"""

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from anyio import to_thread
from textual import events
from textual.content import Content

from acp_tui.config.paths import archive_file
from acp_tui.formatting import counted
from acp_tui.index.background import update_index
from acp_tui.index.index import Index
from acp_tui.index.passages import PassageKind
from acp_tui.index.search import RecentSession, recordings_of_session, sessions_of_agent
from acp_tui.index.sessions import read_session_texts
from acp_tui.text import clean_line, clean_text
from acp_tui.ui.keys import RECORDED
from acp_tui.ui.retelling import MOST
from acp_tui.ui.toolkit.screens import Page
from acp_tui.ui.toolkit.type_ahead import Guard

_SIGNS = {PassageKind.PROMPT: ("❯ ", "bold $foreground"), PassageKind.TOOL: ("• ", "$text-muted")}
MOST_SESSIONS = 1_000
"""Most sessions, of all agents, among which those of one agent are searched."""


@dataclass(frozen=True, slots=True)
class ShownReason:
    """The reason why a recording is shown, and what Enter does there."""

    words: str
    """The reason in words, with `{}` for the agent's name."""
    enter: str
    """What Enter does with the conversation; empty if the agent knows it, and there is nothing to do."""


CANNOT_OPEN = ShownReason(
    "{} can't open this session again; in a new one it knows nothing of it.",
    "into the prompt of a new session",
)
NOTHING_REPLAYED = ShownReason("{} showed nothing of this session.", "into the prompt")
CANNOT_REPLAY = ShownReason("{} has resumed this session, but can't show what was said before.", "")


class RecordedScreen(Page):
    """A recorded conversation, and a key that puts it into the prompt. Nothing is sent here."""

    BINDINGS = RECORDED
    PLACE = "recorded"

    def __init__(
        self,
        agent: str,
        passages: Sequence[tuple[PassageKind, str]],
        clock: Callable[[], float],
        insert_conversation: Callable[[], None],
        why: ShownReason,
    ) -> None:
        super().__init__(
            "From a recording",
            _draw_passages(why.words.format(clean_line(agent)), passages),
            keys=[("enter", why.enter)] if why.enter else [],
        )
        self._has_key = bool(why.enter)
        self._guard = Guard(clock)
        self._insert_conversation = insert_conversation

    @property
    def accepts_keys(self) -> bool:
        """Whether the page was in view for long enough."""
        return self._guard.armed

    def on_screen_resume(self) -> None:
        """Ignore keys until the page was in view for a moment: it may be opened without a key."""
        self._guard.hold_until_shown(self)

    def on_key(self, event: events.Key) -> None:
        """Ignore keys that were typed for something else."""
        if not self._guard.accept(event):
            event.stop()
            event.prevent_default()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disable Enter if the agent already knows the conversation."""
        return action != "tell" or self._has_key

    def action_tell(self) -> None:
        """Put the conversation into the prompt."""
        self.dismiss()
        self._insert_conversation()


def _draw_passages(why: str, passages: Sequence[tuple[PassageKind, str]]) -> Iterator[Content]:
    yield Content.styled(f"{why} From the recording:", "$warning")
    omitted = sum(len(text) for _, text in passages) - MOST
    if omitted > 0:
        words = f"[…] the first {counted(omitted, 'character')} are left out"
        yield Content.styled(words, "$text-muted")
    before = None
    for kind, text in passages:
        if omitted >= len(text):
            omitted -= len(text)
            continue
        shown, omitted = text[max(0, omitted) :], 0
        sign, style = _SIGNS.get(kind, ("", "$foreground"))
        if not kind is before is PassageKind.TOOL:
            yield Content("")
        yield Content.styled(f"{sign}{clean_text(shown).strip()}", style)
        before = kind


async def recorded_sessions(place: Sequence[str]) -> AsyncIterator[list[RecentSession]]:
    """Yield the sessions of the agent with this folder and command, latest first: those in the
    index, then again once the index is up to date.

    Sessions in other folders come last. Raises OSError or sqlite3.Error.
    """
    yield await to_thread.run_sync(_read_sessions, place, abandon_on_cancel=True)
    await update_index()
    yield await to_thread.run_sync(_read_sessions, place, abandon_on_cancel=True)


async def read_passages(
    session_id: str, place: Sequence[str], recording: str = ""
) -> list[tuple[PassageKind, str]]:
    """Read the messages and tool calls of a session from all of its recordings, up to `recording` or
    to the newest of the agent with this folder and command, even one that has just ended.

    Returns an empty list if no recording has the session. Raises OSError, sqlite3.Error or
    RecordingError.
    """
    find = partial(_find_recordings, session_id, place, recording)
    found = await to_thread.run_sync(find, abandon_on_cancel=True)
    if not found:
        await update_index()
        found = await to_thread.run_sync(find, abandon_on_cancel=True)
    if not found and recording:
        found = [Path(recording)]
    read = partial(_read_passages, session_id, found)
    return await to_thread.run_sync(read, abandon_on_cancel=True)


def _read_sessions(place: Sequence[str]) -> list[RecentSession]:
    with Index.open(archive_file()) as index:
        folder, *command = place
        return sessions_of_agent(index, folder, command, MOST_SESSIONS)


def _find_recordings(session_id: str, place: Sequence[str], recording: str) -> list[Path]:
    """Find the recordings of a session in the index. A known `recording` can be read without one."""
    folder, *command = place
    try:
        with Index.open(archive_file()) as index:
            return recordings_of_session(index, session_id, command, folder, recording)
    except (OSError, sqlite3.Error):
        if not recording:
            raise
        return [Path(recording)]


def _read_passages(session_id: str, recordings: Sequence[Path]) -> list[tuple[PassageKind, str]]:
    """Read a session's texts from its recordings; an older one may have been deleted by now."""
    found: list[tuple[PassageKind, str]] = []
    for path in recordings:
        with suppress(FileNotFoundError) if path != recordings[-1] else nullcontext():
            found += read_session_texts(path, session_id)
    return found
