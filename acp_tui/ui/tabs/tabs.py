"""The tabs: which one is shown, which questions and prompts wait in each, and which were closed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import NamedTuple

from acp_tui.host.agent import Agent
from acp_tui.state.open_questions import PendingElicitation, Permission
from acp_tui.state.peer import Peer, Phase
from acp_tui.state.subagents import root_of
from acp_tui.text import clean_line
from acp_tui.ui.tabs.conditions import OPENINGS
from acp_tui.ui.tabs.tab import Tab


class AskedPermission(NamedTuple):
    """A permission request that waits for the user, and the agent that it is from."""

    agent: Agent
    permission: Permission

    @property
    def number(self) -> int:
        """The frame number of the request, which identifies it."""
        return self.permission.number

    @property
    def at(self) -> float:
        """The time of the request."""
        return self.permission.at

    @property
    def session_id(self) -> str | None:
        """The id of its session."""
        return self.permission.session_id


class AskedElicitation(NamedTuple):
    """A form or a link that waits for the user, and the agent that it is from."""

    agent: Agent
    elicitation: PendingElicitation

    @property
    def number(self) -> int:
        """The frame number of the request, which identifies it."""
        return self.elicitation.number

    @property
    def at(self) -> float:
        """The time of the request."""
        return self.elicitation.at

    @property
    def session_id(self) -> str | None:
        """The id of its session, if it belongs to one."""
        return self.elicitation.session_id


Asked = AskedPermission | AskedElicitation


@dataclass(slots=True, eq=False)
class ClosedTab:
    """A closed tab, with its unsent text."""

    agent: Agent
    session_id: str | None
    has_entries: bool
    """Whether its session has any entries: agents may not store an empty one."""
    written: str
    is_reopening: bool = False
    """Whether the agent was asked to open its session again."""


class ClosedTabs:
    """The closed tabs, until they are reopened; their unsent text is kept."""

    def __init__(self) -> None:
        self._all: list[ClosedTab] = []

    def add(self, tab: "Tab") -> ClosedTab:
        """Record that a tab was closed."""
        entries = tab.session is not None and bool(tab.session.entries)
        written = "\n\n".join(filter(None, [*tab.queue.waiting, tab.written]))
        closed = ClosedTab(tab.agent, tab.session_id, entries, written)
        same = tab.session_id and (tab.agent, tab.session_id)
        self._all = [one for one in self._all if (one.agent, one.session_id) != same]
        if entries or written.strip():
            self._all.append(closed)
        return closed

    def latest_first(self) -> Iterator[ClosedTab]:
        """Yield the closed tabs that aren't being reopened, latest first."""
        return (one for one in reversed(self._all) if not one.is_reopening)

    def with_text(self) -> Iterator[ClosedTab]:
        """Yield the closed tabs with unsent text, oldest first."""
        return (one for one in self._all if one.written.strip())

    def mark_reopening(self, agent: Agent, session_id: str) -> None:
        """Mark a session as being reopened."""
        for one in self._all:
            if one.agent is agent and one.session_id == session_id:
                one.is_reopening = True

    def restore_draft(self, tab: "Tab") -> None:
        """Restore the unsent text of a tab that was reopened."""
        for one in [one for one in self._all if one.is_reopening]:
            if one.agent is tab.agent and one.session_id == tab.session_id:
                tab.draft = tab.draft if tab.written else one.written
                self._all.remove(one)

    def remove(self, closed: ClosedTab) -> None:
        """Forget a closed tab that was reopened, or won't be."""
        self._all.remove(closed)

    def forget_sent(self, text: str) -> None:
        """Forget a text that was sent from another tab."""
        for one in self._all:
            if one.written == text:
                one.written = ""


class Tabs:
    """The tabs of all agents, each of which has at least one."""

    def __init__(self, agents: Sequence[Agent], clock: Callable[[], float]) -> None:
        self._clock = clock
        self.agents: list[Agent] = []
        self._all: list[Tab] = []
        self.closed = ClosedTabs()
        self.refusal = ""
        """The reason why nothing can be sent or answered here; "" if it can."""
        for agent in agents:
            self.add(agent)
        self.shown = self._all[0]

    @property
    def agent(self) -> Agent:
        """The agent of the tab that is shown."""
        return self.shown.agent

    @property
    def visible(self) -> list[Tab]:
        """The tabs that can be shown, in the order of opening."""
        return [tab for tab in self._all if not tab.hidden]

    def of(self, agent: Agent) -> list[Tab]:
        """Return the tabs of an agent."""
        return [tab for tab in self.visible if tab.agent is agent]

    def find(self, agent: Agent, session_id: str) -> Tab | None:
        """Return the tab of a session, hidden or not; None if it has none."""
        same = (tab for tab in self._all if tab.agent is agent and tab.session_id == session_id)
        return next(same, None)

    def add(self, agent: Agent) -> None:
        """Add an agent that was started, and show its first tab, which waits for a session."""
        self.add_in_background(agent)
        self.shown = self._all[-1]

    def add_in_background(self, agent: Agent) -> None:
        """Add an agent that was started elsewhere, without switching to it."""
        agent.since = self._clock()
        self.agents.append(agent)
        self._all.append(Tab(agent))

    def open(self, agent: Agent, session_id: str | None = None) -> None:
        """Show a new tab for a session, or for one that will be opened."""
        free = self._surplus(agent) if session_id is None else []
        self.shown = free[0] if free else Tab(agent, session_id)
        if not free:
            self._all.append(self.shown)

    def show(self, tab: Tab) -> None:
        """Show a tab, and unhide it."""
        tab.hidden = False
        self.shown = tab

    def hide(self, tab: Tab) -> None:
        """Hide the tab of a session that the agent can't close."""
        at = self.visible.index(tab)
        tab.hidden = True
        self._show_instead_of(tab, at)

    def remove(self, tab: Tab) -> None:
        """Remove a tab."""
        at = self.visible.index(tab) if tab in self.visible else 0
        self._all.remove(tab)
        self._show_instead_of(tab, at)

    def remove_agent(self, agent: Agent) -> None:
        """Remove all tabs of an agent, which must not be the only one."""
        self.agents.remove(agent)
        for tab in [tab for tab in self._all if tab.agent is agent]:
            self.remove(tab)

    def _show_instead_of(self, tab: Tab, at: int) -> None:
        if self.shown is tab:
            self.shown = self.visible[min(at, len(self.visible) - 1)]

    # Following the agents

    def follow(self) -> None:
        """Add tabs for open sessions, and remove those of closed ones."""
        for agent in self.agents:
            self._follow_sessions(agent)
        for tab in self.visible:
            self.closed.restore_draft(tab)
        self._name_agents()
        session = self.shown.session
        self.shown.seen = len(session.entries) if session is not None else 0

    def _follow_sessions(self, agent: Agent) -> None:
        sessions = agent.state.sessions.values()
        there = {
            one.session_id for one in sessions if one.opened or one.opening.loading is not None
        }
        tabs = [tab for tab in self._all if tab.agent is agent]
        lost = [tab for tab in tabs if tab.session_id and tab.session_id not in there]
        known = {tab.session_id for tab in tabs}
        for session_id in [one for one in agent.state.sessions if one in there]:
            if session_id not in known:
                self._open_in_place(agent, session_id, lost)
        for tab in lost:
            if len(self.of(tab.agent)) > 1 or tab.hidden:
                self.remove(tab)
            else:
                tab.session_id = None  # an agent's last tab stays, for another session
        self._remove_refused(agent)

    def _open_in_place(self, agent: Agent, session_id: str, lost: list[Tab]) -> None:
        """Show a session in the tab whose session was lost, or in one that waits for a session.

        A subagent's session gets a tab in the background.
        """
        if agent.state.sessions[session_id].subagent is not None:
            self._all.append(Tab(agent, session_id))
            return
        old = agent.state.sessions[session_id].opening.continues
        vanished = [tab for tab in lost if tab.session is None]
        continued = [tab for tab in vanished if old in (tab.session_id, None)]
        places = [*continued, *self._surplus(agent)]
        if not places:
            self._open_new_tab(agent, session_id)
            return
        places[0].session_id = session_id
        if places[0] in lost:
            lost.remove(places[0])

    def _open_new_tab(self, agent: Agent, session_id: str) -> None:
        """Show a new session in a new tab; in the background, if another screen has requested it."""
        if agent.openings == 0:
            self._all.append(Tab(agent, session_id))
            return
        if agent.openings is not None:
            agent.openings -= 1
        self.open(agent, session_id)

    def _surplus(self, agent: Agent) -> list[Tab]:
        """Return the tabs that wait for a session, without those for pending `session/new`
        requests.
        """
        waiting = [tab for tab in self._all if tab.agent is agent and tab.session_id is None]
        opening = [call for call in agent.state.calls.values() if call.method == "session/new"]
        return waiting[: max(0, len(waiting) - len(opening))]

    def _remove_refused(self, agent: Agent) -> None:
        """Remove tabs whose session was refused; their text goes to another tab of the agent."""
        if agent.state.peer.phase is not Phase.CONNECTED or any(
            call.method in OPENINGS for call in agent.state.calls.values()
        ):
            return
        for tab in self._surplus(agent):
            others = [one for one in self.of(agent) if one is not tab]
            if others:
                others[-1].prepend_draft("\n\n".join(filter(None, [tab.queue.clear(), tab.draft])))
                self.remove(tab)

    def _name_agents(self) -> None:
        """Number agents of the same name."""
        used_names: set[str] = set()
        for agent in self.agents:
            name = clean_line(agent.called or agent.state.peer.name)
            numbered = (f"{name} {number}" for number in count(2))
            agent.name = next(one for one in chain([name], numbered) if one not in used_names)
            used_names.add(agent.name)

    # Questions and queues

    def questions(self) -> list[Asked]:
        """Return all questions of agents that wait for the user, oldest first."""
        found: list[Asked] = []
        for agent in self.agents:
            found += [AskedPermission(agent, one) for one in agent.state.waiting_permissions()]
            found += [AskedElicitation(agent, one) for one in agent.state.elicitations]
        return sorted(found, key=lambda asked: asked.at)

    def questions_in(self, tab: Tab) -> list[Asked]:
        """Return the questions that are answered in a tab: those of its session, of subagents under
        the same root, and of its agent's sessions without a tab.
        """
        state = tab.agent.state
        tabs = {one.session_id for one in self._all if one.agent is tab.agent}
        root = root_of(state, tab.session_id or "")
        return [
            asked
            for asked in self.questions()
            if asked.agent is tab.agent
            and (asked.session_id not in tabs or root_of(state, asked.session_id or "") == root)
        ]

    def tab_of_question(self, asked: Asked) -> Tab:
        """Return the tab in which a question is answered."""
        asker = asked.session_id or ""
        ids = (asker, root_of(asked.agent.state, asker))
        own = [tab for tab in (self.find(asked.agent, id) for id in ids) if tab is not None]
        shown = next((tab for tab in own if not tab.hidden), None)
        return (
            shown
            or next(iter(own), None)
            or next(tab for tab in self._all if tab.agent is asked.agent)
        )

    def waiting_elsewhere(self) -> list[Tab]:
        """Return the other tabs that wait for the user, the longest wait first."""
        if self.refusal:
            return []
        here = {(asked.agent, asked.number) for asked in self.questions_in(self.shown)}
        asking = [
            self.tab_of_question(asked)
            for asked in self.questions()
            if (asked.agent, asked.number) not in here
        ]
        others = (agent for agent in self.agents if agent is not self.agent)
        asking += [
            self.of(agent)[0]
            for agent in others
            if agent.state.trust is not None or wants_sign_in(agent)
        ]
        return list(dict.fromkeys(asking))

    def asking(self) -> list[Tab]:
        """Return all tabs that wait for the user, the longest wait first."""
        if self.refusal:
            return []
        asking = [self.tab_of_question(asked) for asked in self.questions()]
        return list(dict.fromkeys([*asking, *self.waiting_elsewhere()]))

    def queues(self) -> list[Tab]:
        """Return the tabs with queued prompts."""
        return [tab for tab in self._all if tab.queue.waiting]

    def pause(self) -> None:
        """Pause the queues of agents that are gone: their prompts are sent only when the user says
        so.
        """
        for tab in self.queues():
            if is_gone(tab.agent.state.peer):
                tab.queue.paused = True


def is_gone(peer: Peer) -> bool:
    """Return whether the agent isn't running."""
    return peer.phase in (Phase.FAILED, Phase.EXITED)


def wants_sign_in(agent: Agent) -> bool:
    """Return whether the agent wants a sign-in that the user hasn't declined."""
    sign_in = agent.state.peer.sign_in
    return sign_in is not None and sign_in is not agent.postponed_sign_in
