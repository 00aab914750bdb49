"""The list of sessions: open ones with their activity, others that the agent can load, and recorded
ones.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from acp_tui.formatting import age, running_duration, short_count
from acp_tui.host.agent import Agent
from acp_tui.host.session_names import can_reopen
from acp_tui.index.search import RecentSession
from acp_tui.protocol.setup import SessionInfo
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.subject import call_headline, format_subject
from acp_tui.text import clean_line, clean_title, one_line
from acp_tui.ui.keys import SESSIONS
from acp_tui.ui.tabs import marks
from acp_tui.ui.tabs.marks import tab_names
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import AskedPermission, Tabs
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker
from acp_tui.ui.toolkit.shortened import crop_text, cropped_in_middle, from_home, path_end

if TYPE_CHECKING:
    from acp_tui.ui.sessions.feature import SessionsFeature

RECENT = 20
"""Last entries that are searched for a running tool call."""
_CURRENCY = 4
"""Most characters of a currency, which may be any text from an agent."""
_SIGNS = "◆✗●"
"""The signs of sessions that need the user, the most urgent first."""
LEAST_PATH = 8
"""Fewest cells of a session's folder."""
TITLE = 60
"""Most cells of a session's title, with the gap after it."""
LEAST_TITLE = 22
"""Fewest cells of a session's title, with the gap after it."""
GAP = 2
"""Blanks between columns."""
LEAST_DOING = 12
"""Fewest cells for the running tool call or the folder, which are left out otherwise."""


Chosen = Tab | str | RecentSession
"""An open session, the id of one that the agent lists, or a recorded one."""


class SessionSummary(NamedTuple):
    """The status of a tab's session: its mark, its question or activity, and `since` when, on the
    client's clock.
    """

    tab: Tab
    mark: marks.Mark
    since: float | None
    doing: str

    @property
    def need(self) -> int:
        """The rank of a session's need for the user: 0 for a question, then a failure, unread
        entries, work, nothing.
        """
        sign = self.mark[0]
        if sign in _SIGNS:
            return _SIGNS.index(sign)
        return len(_SIGNS) + (sign != marks.SPINNING)

    def clock(self, now: float) -> str:
        """Return how long the session has been in this state, as text."""
        return "" if self.since is None else running_duration(max(0.0, now - self.since))


def session_summaries(tabs: Tabs) -> list[SessionSummary]:
    """Summarize all sessions: those that need the user most first, and the oldest question first."""
    found = [summarize_session(tabs, tab) for tab in tabs.visible]
    return sorted(found, key=lambda one: (one.need, (one.since or 0.0) if one.need == 0 else 0.0))


def summarize_session(tabs: Tabs, tab: Tab) -> SessionSummary:
    """Summarize the session of a tab."""
    mark, session = marks.tab_mark(tab, marks.SPINNING), tab.session
    questions = tabs.questions_in(tab)
    if questions:
        first = questions[0]
        words = (
            format_subject(tab.agent.state, first.permission)
            if isinstance(first, AskedPermission)
            else one_line(first.elicitation.message)
        )
        return SessionSummary(tab, mark, first.at, words)
    if session is None:
        return SessionSummary(tab, mark, None, "")
    if session.is_working:
        since = session.turn.started if session.turn else session.reported.active
        return SessionSummary(tab, mark, since, _running_tool(session))
    last = session.entries[-1].at if session.entries else None
    return SessionSummary(tab, mark, last, "")


def _running_tool(session: Session) -> str:
    """Return the headline of a running tool call; "" if there is none."""
    for entry in reversed(session.entries[-RECENT:]):
        if isinstance(entry, ToolCallEntry) and not entry.finished:
            return call_headline(entry)
    return ""


def format_tokens(session: Session) -> str:
    """Format the number of tokens in the context; "" if unknown."""
    if session.usage.used is None:
        return ""
    of = f"/{short_count(session.usage.size)}" if session.usage.size else ""
    return f"{short_count(session.usage.used)}{of}"


def format_cost(session: Session) -> str:
    """Format the cost of a session; "" if unknown."""
    if session.usage.cost is None:
        return ""
    return f"{session.usage.cost.amount:,.2f} {crop_text(clean_line(session.usage.cost.currency), _CURRENCY)}"


class SessionColumns(NamedTuple):
    """The widths of the first two columns in cells, with the gaps after them; the same for all
    rows.
    """

    title: int
    state: int

    def format(self, title: str, state: Content) -> Content:
        """Format the first two cells of a row."""
        name = Content.styled(
            cropped_in_middle(clean_title(title), self.title - GAP), "$foreground"
        )
        return Content.assemble(
            name.pad_right(max(0, self.title - name.cell_length)),
            state.pad_right(max(0, self.state - state.cell_length)),
        )


def session_columns(states: Sequence[Content], room: int) -> SessionColumns:
    """Return the columns for rows with these states. At least a quarter of the row is left for the
    other columns.
    """
    state = max((one.cell_length for one in states), default=0) + GAP
    return SessionColumns(min(TITLE, max(LEAST_TITLE, room - room // 4 - state)), state)


class SessionPicker(Picker[Chosen]):
    """Lists the open sessions of all agents, those that need the user first; then the other
    sessions that this agent lists, newest first, beginning with those of the working directory.

    If the agent offers no list, its recorded sessions follow instead.
    """

    BINDINGS = SESSIONS

    def __init__(
        self, tabs: Tabs, agent: Agent, sessions: "SessionsFeature", clock: Callable[[], float]
    ) -> None:
        super().__init__("Search title, directory or id")
        self._clock = clock
        self._tabs = tabs
        self._agent = agent
        self._sessions = sessions
        self._recorded: Sequence[RecentSession] | None = None
        self._trouble = ""

    def on_mount(self) -> None:
        """Show the list, and update its clocks every second."""
        super().on_mount()
        self.set_interval(1.0, self.show)

    def show_recorded(self, recorded: Sequence[RecentSession], trouble: str = "") -> None:
        """Show the recorded sessions of this agent, or the `trouble` in reading them."""
        self._recorded, self._trouble = recorded, trouble
        if self.is_running:
            self.show()

    def heading(self) -> Content:
        return Content.styled("Sessions", "bold")

    def count(self, items: Sequence[Item[Chosen]]) -> str:
        loading = self._agent.state.catalogue.loading
        return f"asking {self._agent.name} …" if loading else super().count(items)

    def note(self) -> Content | None:
        """Return the reason if the agent's own sessions aren't listed."""
        catalogue, agent = self._agent.state.catalogue, self._agent.name
        words = ""
        if not self._agent.state.peer.offers("session/list"):
            words = self._without_list()
        elif not (catalogue.loading or catalogue.answered):
            words = f"{agent} gave no list of its sessions"
        return Content.styled(words, "$text-muted") if words else None

    def _without_list(self) -> str:
        """Describe what can be reopened if the agent lists no sessions."""
        agent, opens = self._agent.name, can_reopen(self._agent.state.peer)
        if self._trouble:
            return clean_line(self._trouble)
        if recorded := self._recorded_and_closed():
            hint = "" if opens else ": Enter shows one"
            return f"{agent} lists no sessions; {len(recorded)} in the recordings{hint}"
        able = "; --resume ID reopens one" if opens else " and can't reopen any"
        is_none_recorded = self._recorded is not None and not self._recorded
        none = "; none is recorded" if is_none_recorded else ""
        return f"{agent} lists no sessions{able}{none}"

    def _open_ids(self) -> set[str | None]:
        """Return the ids of the agent's sessions that have tabs."""
        return {tab.session_id for tab in self._tabs.of(self._agent)}

    def _recorded_and_closed(self) -> list[RecentSession]:
        """Return the recorded sessions that have no tab."""
        ids = self._open_ids()
        return [one for one in self._recorded or () if one.session_id not in ids]

    def empty(self) -> str:
        catalogue = self._agent.state.catalogue
        if catalogue.loading:
            return "asking the agent …"
        if not catalogue.answered:
            return "sessions unknown"
        return "no session found" if self.searching else "the agent keeps no session"

    def items(self) -> Sequence[Item[Chosen]]:
        ids = self._open_ids()
        stored = self._agent.state.catalogue.sessions
        here = self._agent.state.peer.cwd
        unopened = [one for one in stored.values() if one.session_id not in ids]
        unopened.sort(key=lambda one: one.updated, reverse=True)
        unopened.sort(key=lambda one: (bool(one.archived), not one.works_in(here)))
        now = datetime.now(UTC)
        statuses = self._agent.state.catalogue.statuses
        called, clock = tab_names(self._tabs), self._clock()
        summaries = [
            (one, open_state(one, clock))
            for one in session_summaries(self._tabs)
            # A tab of this agent without a session is the one that the list was opened for.
            if one.tab.session is not None or one.tab.agent is not self._agent
        ]
        stored_rows = [
            (one, _stored_state(one, statuses.get(one.session_id), now)) for one in unopened
        ]
        recordings = [
            (one, _age_of(datetime.fromtimestamp(one.at, UTC).isoformat(), now))
            for one in self._recorded_and_closed()
        ]
        states = [state for _, state in (*summaries, *stored_rows, *recordings)]
        columns, room = session_columns(states, self.room), self.room
        opened: list[Item[Chosen]] = [
            Item(
                open_row(one, called[one.tab], state, columns, room),
                one.tab,
                f"{called[one.tab]} {_folder_of(one.tab)} {one.tab.session_id or ''}",
            )
            for one, state in summaries
        ]
        closed: list[Item[Chosen]] = [
            Item(
                closed_row(one.title or one.session_id, one.cwd, state, columns, room),
                one.session_id,
                f"{one.title or ''} {one.cwd} {one.session_id}",
            )
            for one, state in stored_rows
        ]
        recorded: list[Item[Chosen]] = [
            Item(closed_row(one.prompt, one.cwd, state, columns, room), one, one.prompt)
            for one, state in recordings
        ]
        groups = (
            ("Open", opened),
            (f"Kept by {self._agent.name}", closed),
            ("In your recordings", recorded),
        )
        there = [(title, rows) for title, rows in groups if rows]
        listed: list[Item[Chosen]] = []
        for title, rows in there:
            if len(there) > 1 and not self.searching:
                listed.append(Item(Content.styled(title, "bold $accent")))
            listed += rows
        if opened and not closed and self._agent.state.catalogue.answered:
            words = f"{self._agent.name} keeps no other session"
            listed.append(Item(Content.styled(words, "$text-muted")))
        return listed

    def keys(self) -> list[tuple[str, str]]:
        offers = self._agent.state.peer.offers
        keys = [("enter", "open"), ("ctrl+t", "new")]
        for method, key, words in (
            ("session/delete", "f8", "delete"),
            ("", "alt+w", "close"),
            ("session/resume", "alt+r", "resume"),
            ("session/fork", "alt+k", "fork"),
            ("session/archive", "alt+a", "archive"),
            ("session/set_title", "f2", "rename"),
            ("session/status", "alt+s", "in memory?"),
        ):
            if not method or offers(method):
                keys.append((key, words))
        escape = "new session" if self._sessions.is_choice_needed() else "back"
        return [*keys, ("escape", escape)]

    def chosen(self, value: Chosen) -> None:
        self.dismiss()
        if isinstance(value, str):
            self._sessions.open(self._agent, value)
        elif isinstance(value, RecentSession):
            self._sessions.open_recorded(self._agent, value)
        elif value.session is not None and value.session.lost and value.session_id is not None:
            self._sessions.open(value.agent, value.session_id)
        else:
            self._sessions.show_tab(value)

    def action_session(self, action: str) -> None:
        """Run an action on the marked session."""
        marked = self.marked
        agent = marked.agent if isinstance(marked, Tab) else self._agent
        session_id = marked if isinstance(marked, str) or marked is None else marked.session_id
        if session_id is not None:
            if action in ("resume", "fork"):
                self.dismiss()
            self._sessions.act(agent, session_id, action)

    def action_new(self) -> None:
        """Open a new session."""
        self.dismiss()
        self._sessions.new_of_shown()


def open_state(one: SessionSummary, now: float) -> Content:
    """Format what an open session is doing, since when, and whether the agent has it in memory."""
    sign, word, style = one.mark
    status = one.tab.agent.state.catalogue.statuses.get(one.tab.session_id or "")
    return Content.assemble(
        (f"{sign} {word}", style),
        (f" {one.clock(now)}" if one.since is not None else "", "$text-muted"),
        (f", {_where(status)}" if status else "", "$text-muted"),
    )


def open_row(
    one: SessionSummary, title: str, state: Content, columns: SessionColumns, room: int
) -> Content:
    """Format the row of an open session; the less important columns are left out if they don't fit."""
    session = one.tab.session
    row = columns.format(title, state)
    free = room - row.cell_length
    if free <= 0:
        return row.rstrip().truncate(room, ellipsis=True)
    figures = _figures(session, free) if session is not None else Content()
    free = free - figures.cell_length
    space = free - GAP if figures else free
    if space < LEAST_DOING:
        return row + " " * free + figures
    doing = one.doing or path_end(_folder_of(one.tab), space)
    detail = Content.styled(cropped_in_middle(doing, space), "" if one.doing else "$text-muted")
    return row + detail.pad_right(free - detail.cell_length) + figures


def closed_row(title: str, cwd: str, state: Content, columns: SessionColumns, room: int) -> Content:
    """Format the row of a session that isn't open, with the end of its folder."""
    row = columns.format(title, state)
    path = path_end(clean_line(from_home(cwd)), max(LEAST_PATH, room - row.cell_length))
    return row + Content.styled(path, "$text-muted")


def _folder_of(tab: Tab) -> str:
    """Return the folder of a tab's session, abbreviated with `~`; "" without a session."""
    return clean_line(from_home(tab.session.cwd)) if tab.session is not None else ""


def _figures(session: Session, room: int) -> Content:
    """Format the session's tokens, preceded by its cost if both fit."""
    tokens, cost = format_tokens(session), format_cost(session)
    both = "  ".join(filter(None, (cost, tokens)))
    shown = next((one for one in (both, tokens) if cell_len(one) <= room), "")
    return Content.styled(shown, "$text-muted")


def _stored_state(info: SessionInfo, status: str | None, now: datetime) -> Content:
    """Return whether a session is archived or in memory, or else its age."""
    if info.archived:
        return Content.styled("archived", "$text-muted")
    if status is not None:
        return Content.styled(_where(status), "$text-muted")
    return _age_of(info.updated_at, now)


def _age_of(at: str | None, now: datetime) -> Content:
    return Content.styled(age(at, now), "$text-muted")


def _where(status: str) -> str:
    """Return "in memory" or "saved"; an unknown status counts as saved."""
    return "in memory" if status == "open" else "saved"
