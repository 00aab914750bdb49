"""The sessions that lie on the desk: which is shown, and what waits in each."""

from dataclasses import dataclass, field

from acp_tui.session.state import Session, State
from acp_tui.ui.conversation.outgoing import Outgoing


@dataclass(slots=True)
class Desk:
    """`drafts` are what is written in sessions that are not shown; `seen` counts turns read."""

    state: State
    shown_id: str | None = None
    drafts: dict[str, str] = field(default_factory=dict)
    _queues: dict[str, Outgoing] = field(default_factory=dict)
    _seen: dict[str, int] = field(default_factory=dict)
    _put_away: set[str] = field(default_factory=set)
    _known: list[str] = field(default_factory=list)
    _early: Outgoing = field(default_factory=Outgoing)

    @property
    def sessions(self) -> list[Session]:
        """What is open, or being loaded, in the order of opening."""
        return [
            one
            for one in self.state.sessions.values()
            if (one.opened or one.loading is not None) and one.session_id not in self._put_away
        ]

    @property
    def shown(self) -> Session | None:
        """The session that is on screen."""
        return self.state.sessions.get(self.shown_id) if self.shown_id is not None else None

    def follow(self) -> None:
        """Show what was opened last; when what is shown is gone, its neighbor."""
        self._follow_continued()
        ids = [one.session_id for one in self.sessions]
        new = [one for one in ids if one not in self._known]
        if new:
            self.shown_id = new[-1]
        elif self.shown_id not in ids:
            at = self._known.index(self.shown_id) if self.shown_id in self._known else 0
            self.shown_id = ids[min(at, len(ids) - 1)] if ids else None
        self._known = ids
        if self.shown is not None:
            self._seen[self.shown.session_id] = len(self.shown.entries)
            early, self._early = self._early, Outgoing()
            self.queue.waiting += early.waiting
            self.queue.held |= early.held

    def _follow_continued(self) -> None:
        """What lay in a session that was lost goes on in the one that took its place."""
        for session in self.sessions:
            old, new = session.continues, session.session_id
            if old is None or old not in self._known:
                continue
            self._known[self._known.index(old)] = new
            self._move(old, new)
            if self.shown_id == old:
                self.shown_id = new

    def _move(self, old: str, new: str) -> None:
        if old in self.drafts:
            self.drafts[new] = self.drafts.pop(old)
        if old in self._queues:
            self._queues[new] = self._queues.pop(old)
        self._seen[new] = self._seen.pop(old, 0)

    def show(self, session_id: str) -> None:
        """Show this session, if it is open; one that was put away comes back."""
        self._put_away.discard(session_id)
        if any(one.session_id == session_id for one in self.sessions):
            self.shown_id = session_id
            self._known = [one.session_id for one in self.sessions]

    def step(self, step: int) -> None:
        """Show the session so many places further."""
        ids = [one.session_id for one in self.sessions]
        if self.shown_id in ids:
            self.show(ids[(ids.index(self.shown_id) + step) % len(ids)])

    def put_away(self, session_id: str) -> None:
        """Take a session off the screen, though the agent can't close it."""
        self._put_away.add(session_id)

    def unread(self, session: Session) -> bool:
        """Whether something was said there since it was shown."""
        return len(session.entries) > self._seen.get(session.session_id, 0)

    # What waits to be sent

    @property
    def queue(self) -> Outgoing:
        """What waits in the session that is shown, or for the first to open."""
        if self.shown_id is None:
            return self._early
        return self._queues.setdefault(self.shown_id, Outgoing())

    def queues(self) -> list[tuple[Session, Outgoing]]:
        """Every session with something that waits."""
        found = ((self.state.sessions.get(key), queue) for key, queue in self._queues.items())
        return [(session, queue) for session, queue in found if session and queue.waiting]

    def hold(self) -> None:
        """The agent is gone: what waits is not sent until a person says so."""
        for queue in (self._early, *self._queues.values()):
            queue.held = queue.held or bool(queue.waiting)
