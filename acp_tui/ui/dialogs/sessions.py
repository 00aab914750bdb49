"""The sessions that the agent keeps, and those that are open."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from textual.content import Content

from acp_tui.formatting import age
from acp_tui.protocol.sessions import SessionInfo
from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.dialogs.picker import Item, Picker
from acp_tui.ui.sessions import marks
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.names import opens_again, title_of
from acp_tui.ui.sessions.tabs import Tab, Tabs
from acp_tui.ui.words import from_home, in_middle, path_end

if TYPE_CHECKING:
    from acp_tui.ui.controllers.sessions import SessionController

LEAST_PATH = 8
TITLE = 44
"""Where the second column begins."""


class SessionPicker(Picker[str]):
    """The newest first; those of the working directory before others."""

    BINDINGS = bindings.SESSIONS

    def __init__(self, tabs: Tabs, agent: Agent, sessions: "SessionController") -> None:
        super().__init__("Search title, directory or id")
        self._tabs = tabs
        self._agent = agent
        self._sessions = sessions

    def heading(self) -> Content:
        catalogue, agent = self._agent.state.catalogue, self._agent.name
        count = len(catalogue.sessions)
        words = f"asking {agent} …" if catalogue.loading else f"{count} kept by {agent}"
        if not (catalogue.loading or catalogue.answered):
            words = f"{agent} gave no list of those it keeps"
        if not self._agent.state.peer.offers("session/list"):
            words = f"{agent} keeps no list" + (
                "; --resume ID goes on with one"
                if opens_again(self._agent.state.peer)
                else ", and opens no session again"
            )
        return Content.assemble(("Sessions  ", "bold"), (words, "$text-muted"))

    def empty(self) -> str:
        catalogue = self._agent.state.catalogue
        if catalogue.loading:
            return "asking the agent …"
        if not catalogue.answered:
            return "it is not known which sessions there are"
        return "no session found" if self.searching else "the agent keeps no session"

    def items(self) -> Sequence[Item[str]]:
        tabs = [tab for tab in self._tabs.of(self._agent) if tab.session is not None]
        ids = {tab.session_id for tab in tabs}
        kept = self._agent.state.catalogue.sessions
        here = self._agent.state.peer.cwd
        rest = [one for one in kept.values() if one.session_id not in ids]
        rest.sort(key=lambda one: one.updated_at or "", reverse=True)
        rest.sort(key=lambda one: (bool(one.archived), one.cwd != here))
        now = datetime.now(UTC)
        statuses = self._agent.state.catalogue.statuses
        opened = [_opened(tab, statuses.get(tab.session_id or ""), self.room) for tab in tabs]
        closed = [_kept(one, statuses.get(one.session_id), now, self.room) for one in rest]
        return [*opened, *closed]

    def keys(self) -> list[tuple[str, str]]:
        offers = self._agent.state.peer.offers
        keys = [("enter", "open"), ("ctrl+t", "new")]
        for method, key, words in (
            ("session/resume", "ctrl+r", "resume"),
            ("session/fork", "ctrl+f", "fork"),
            ("session/delete", "ctrl+d", "delete"),
            ("session/archive", "ctrl+a", "archive"),
            ("session/set_title", "f2", "rename"),
            ("session/status", "ctrl+s", "in memory?"),
        ):
            if offers(method):
                keys.append((key, words))
        leaves = "new session" if self._sessions.nothing_open() else "back"
        return [*keys, ("alt+w", "close"), ("escape", leaves)]

    def chosen(self, value: str) -> None:
        self.dismiss()
        self._sessions.open(self._agent, value)

    def action_session(self, action: str) -> None:
        """Do something with the session that is marked."""
        if self.marked is not None:
            session_id = self.marked
            if action in ("resume", "fork"):
                self.dismiss()
            self._sessions.act(self._agent, session_id, action)

    def action_new(self) -> None:
        """Open a new session."""
        self.dismiss()
        self._sessions.new_of_shown()


def _opened(tab: Tab, status: str | None, room: int) -> Item[str]:
    session = tab.session
    assert session is not None
    sign, word, style = marks.mark(tab, marks.SPINNING)
    title = title_of(tab.agent.state, session.session_id)
    state = Content.assemble((f"{sign} {word}", style), f", {_where(status)}" if status else "")
    return _item(session.session_id, title, session.cwd, state, room)


def _kept(info: SessionInfo, status: str | None, now: datetime, room: int) -> Item[str]:
    words = age(info.updated_at, now)
    if info.archived:
        words = "archived"
    elif status is not None:
        words = _where(status)
    state = Content.styled(words, "$text-muted")
    return _item(info.session_id, info.title, info.cwd, state, room)


def _where(status: str) -> str:
    """Where an agent has a session; what is not known counts as saved."""
    return "in memory" if status == "open" else "saved"


def _item(session_id: str, title: str | None, cwd: str, state: Content, room: int) -> Item[str]:
    name = in_middle(clean_line(title or session_id), TITLE - 1)
    gap = max(2, 14 - state.cell_length)
    left = max(LEAST_PATH, room - TITLE - state.cell_length - gap)
    row = Content.assemble(
        (name.ljust(TITLE), "$foreground"),
        state,
        " " * gap,
        (path_end(clean_line(from_home(cwd)), left), "$text-muted"),
    )
    return Item(row, session_id, f"{title or ''} {cwd} {session_id}")
