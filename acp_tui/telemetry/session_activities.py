"""Activities of one session: its turn, the turn's tool calls, and their cost."""

from collections.abc import Callable, Iterator
from typing import Any

from acp_tui.protocol.events import Notified
from acp_tui.protocol.quota import fullest, read_windows
from acp_tui.telemetry.activity import (
    FINISHED,
    Activity,
    ActivityKind,
    is_count,
    object_of,
    text_of,
)

_DEAREST = 1e12
"""A higher cost is not believed."""
_CHUNKS = ("agent_message_chunk", "agent_thought_chunk")
_TOOL_FACTS = ("title", "name", "kind", "status")


class SessionActivities:
    """The open activities of a session, and its costs so far: None while the session's earlier cost
    is unknown.
    """

    def __init__(self, session_id: str, mask: Callable[[str], str], cost: float | None) -> None:
        self.session_id = session_id
        self._mask = mask
        self.cost = cost
        self.turn: Activity | None = None
        self.accepted = False
        """Whether the turn's prompt has its answer, and its end is still to come, as in version 2."""
        self.tool_calls: dict[str, Activity] = {}
        self.work: Activity | None = None
        """The work of the subagent whose session this is, until it is idle."""
        self.links: dict[str, Activity] = {}
        """The turn's tool calls that link to subagents, by session."""

    @property
    def whole(self) -> Activity | None:
        """What all that happens in the session is part of."""
        return self.turn or self.work

    def update(self, event: Notified, update: dict[str, Any]) -> Iterator[Activity]:
        """Apply an update; yield the tool call that it ends."""
        kind = update.get("sessionUpdate")
        if self.turn is not None:
            if kind in _CHUNKS:
                self.turn.facts["chunks"] += 1
            if kind in _CHUNKS or kind in ("tool_call", "plan"):
                self.turn.facts.setdefault("first_update", event.at - self.turn.start)
        if kind in ("tool_call", "tool_call_update"):
            yield from self._tool_call(event, update)
        elif kind == "usage_update":
            self._usage(update)

    def end_turn(self, at: float) -> Iterator[Activity]:
        """Forget the turn; yield its tool calls, which are over with it."""
        self.turn, self.accepted = None, False
        yield from self._end_calls(at, "not finished when the turn ended")

    def end_work(self, at: float, error: str | None) -> Iterator[Activity]:
        """Forget the work of the subagent; yield its tool calls, which are over with it, and it."""
        work, self.work = self.work, None
        if work is not None:
            yield from self._end_calls(at, "not finished when the subagent ended")
            yield work.ended(at, error)

    def _end_calls(self, at: float, why: str) -> Iterator[Activity]:
        self.links.clear()
        calls, self.tool_calls = self.tool_calls, {}
        for call in calls.values():
            yield call.ended(at, why)

    def _tool_call(self, event: Notified, update: dict[str, Any]) -> Iterator[Activity]:
        id = update.get("toolCallId")
        whole = self.whole
        if not isinstance(id, str) or whole is None:
            return  # without a turn it is told again: a replay
        call = self.tool_calls.get(id)
        if call is None:
            turn, session_id = self.turn or whole.turn, self.session_id
            call = Activity(
                ActivityKind.TOOL_CALL, "", event.at, event.number, True, session_id, turn, whole
            )
            call.facts["tool_call_id"] = id
            self.tool_calls[id] = call
            whole.facts["tool_calls"] += 1
        content = update.get("content")
        for item in map(object_of, content if isinstance(content, list) else ()):
            child = item.get("sessionId")
            if item.get("type") == "session" and isinstance(child, str):
                self.links[child] = call
        call.facts |= {name: told for name in _TOOL_FACTS if (told := text_of(update.get(name)))}
        call.name = self._mask(call.facts.get("name") or call.facts.get("kind") or "other")
        if call.facts.get("status") in FINISHED:
            del self.tool_calls[id]
            failed = call.facts["status"] == "failed"
            yield call.ended(event.at, "the agent says that it failed" if failed else None)

    def _usage(self, update: dict[str, Any]) -> None:
        """Note the usage. A session's cost grows from turn to turn; a turn costs what it adds."""
        cost = object_of(update.get("cost"))
        amount = cost.get("amount")
        turn = self.whole
        if turn is not None and is_count(update.get("used")):
            turn.facts["context_used"] = update["used"]
        window = fullest(read_windows(update["_meta"])) if update.get("_meta") else None
        if turn is not None and window is not None:
            turn.facts["quota_used"] = 100.0 if window.used is None else window.used
            turn.facts["quota_window"] = self._mask(window.name)
        if (
            not isinstance(amount, int | float)
            or isinstance(amount, bool)
            or abs(amount) > _DEAREST
        ):
            return
        before, self.cost = self.cost, float(amount)
        if turn is not None and before is not None:
            added = self.cost - before
            turn.facts["cost"] = turn.facts.get("cost", 0.0) + added
            turn.facts["currency"] = text_of(cost.get("currency"))
