"""Timed activities of one session: turns, tool calls and subagents' work, with tokens and costs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from acp_tui.protocol.air import read_failure
from acp_tui.protocol.json_parts import number_at, object_at, objects_at, text_or_none_at
from acp_tui.protocol.kinds import AGENT_CHUNKS, TOOL_CALL_UPDATES
from acp_tui.protocol.quota import fullest_window, read_model_tokens, read_windows
from acp_tui.protocol.wire_events import Notified
from acp_tui.state.entries import FINISHED
from acp_tui.state.waiting import WaitingTime


class ActivityKind(StrEnum):
    """The kinds of activities."""

    REQUEST = "request"
    TURN = "turn"
    SUBAGENT = "subagent"
    TOOL_CALL = "tool_call"
    PERMISSION = "permission"
    QUESTION = "question"
    FILE = "file"
    TERMINAL = "terminal"


@dataclass(slots=True)
class Activity:
    """Something that took time, from `start` to `end` in seconds of the recording's clock.

    `number` is the number of the frame that began it. `turn` is the turn that it belongs to;
    `parent` is the tool call, subagent's work or turn around it. `traceparent` is the trace context
    sent with the request. `error` describes what went wrong.
    """

    kind: ActivityKind
    name: str
    start: float
    number: int
    by_agent: bool
    session_id: str | None = None
    turn: "Activity | None" = None
    parent: "Activity | None" = None
    traceparent: str | None = None
    end: float | None = None
    error: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Return how long the activity took."""
        return (self.start if self.end is None else self.end) - self.start

    def ended(self, at: float, error: str | None = None) -> "Activity":
        """Set the end of the activity, and its error; return it."""
        self.end = at
        self.error = error
        return self


TURN_TOKENS = ("inputTokens", "outputTokens", "totalTokens", "cachedReadTokens", "thoughtTokens")


def note_usage(turn: Activity, result: dict[str, Any]) -> None:
    """Record the stop reason of a turn, and the tokens that it used."""
    turn.facts["stop_reason"] = text_or_none_at(result, "stopReason")
    usage = object_at(result, "usage")
    turn.facts |= {name: usage[name] for name in TURN_TOKENS if is_count(usage.get(name))}
    if tokens := read_model_tokens(result.get("_meta")):
        turn.facts["model_tokens"] = tokens


def failure_in_meta(ending: dict[str, Any]) -> str | None:
    """Return the failure in the `_meta` of a turn's end, which agents report to JetBrains AIR."""
    failure = read_failure(ending.get("_meta"))
    return failure.title if failure is not None and failure.is_error else None


def is_count(value: Any) -> bool:
    """Return whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


_DEAREST = 1e12
"""Costs above this are ignored: no session costs so much."""
_TOOL_FACTS = ("title", "name", "kind", "status")


class SessionActivities:
    """Tracks the open activities of a session. `cost` is its cost so far; None if its earlier cost is
    unknown.
    """

    def __init__(self, session_id: str, mask: Callable[[str], str], cost: float | None) -> None:
        self.session_id = session_id
        self._mask = mask
        self.cost = cost
        self.turn: Activity | None = None
        self.accepted = False
        """Whether the prompt was answered but the turn continues, as in version 2."""
        self.waiting = WaitingTime()
        """How long the turn waits for the person."""
        self.tool_calls: dict[str, Activity] = {}
        self.work: Activity | None = None
        """The work of the subagent whose session this is, until it is idle."""
        self.links: dict[str, Activity] = {}
        """The turn's tool calls that link to subagents, by session."""

    @property
    def whole(self) -> Activity | None:
        """The parent of everything that happens in the session: a turn, or a subagent's work."""
        return self.turn or self.work

    def update(self, event: Notified, update: dict[str, Any]) -> Iterator[Activity]:
        """Apply an update; yield the tool call that it ends."""
        kind = update.get("sessionUpdate")
        if self.turn is not None:
            if kind in AGENT_CHUNKS:
                self.turn.facts["chunks"] += 1
            if kind in AGENT_CHUNKS or kind in ("tool_call", "plan"):
                self.turn.facts.setdefault("first_update", event.at - self.turn.start)
        if kind in TOOL_CALL_UPDATES:
            yield from self._follow_tool_call(event, update)
        elif kind == "usage_update":
            self._note_usage(update)

    def begin_turn(self, turn: Activity) -> None:
        """Begin a turn, unless one is running."""
        turn.facts |= {"chunks": 0, "tool_calls": 0, "asked_seconds": 0.0}
        if self.turn is None:
            self.turn, self.waiting = turn, WaitingTime()

    def note_waiting(self, at: float) -> None:
        """Record how long the turn has waited for the person."""
        if self.turn is not None:
            self.turn.facts["asked_seconds"] = self.waiting.until(at)

    def end_turn(self, at: float) -> Iterator[Activity]:
        """End the turn; yield its unfinished tool calls, which end with it."""
        self.note_waiting(at)
        self.turn, self.accepted = None, False
        yield from self._end_calls(at, "not finished when the turn ended")

    def end_work(self, at: float, error: str | None) -> Iterator[Activity]:
        """End the work of the subagent; yield its unfinished tool calls, then the work."""
        work, self.work = self.work, None
        if work is not None:
            yield from self._end_calls(at, "not finished when the subagent ended")
            yield work.ended(at, error)

    def _end_calls(self, at: float, why: str) -> Iterator[Activity]:
        self.links.clear()
        calls, self.tool_calls = self.tool_calls, {}
        for call in calls.values():
            yield call.ended(at, why)

    def _follow_tool_call(self, event: Notified, update: dict[str, Any]) -> Iterator[Activity]:
        id = update.get("toolCallId")
        whole = self.whole
        if not isinstance(id, str) or whole is None:
            return  # outside of a turn it is part of a replay
        call = self.tool_calls.get(id)
        if call is None:
            turn, session_id = self.turn or whole.turn, self.session_id
            call = Activity(
                kind=ActivityKind.TOOL_CALL,
                name="",
                start=event.at,
                number=event.number,
                by_agent=True,
                session_id=session_id,
                turn=turn,
                parent=whole,
            )
            call.facts["tool_call_id"] = id
            self.tool_calls[id] = call
            whole.facts["tool_calls"] += 1
        for item in objects_at(update, "content"):
            child = item.get("sessionId")
            if item.get("type") == "session" and isinstance(child, str):
                self.links[child] = call
        call.facts |= {
            name: text for name in _TOOL_FACTS if (text := text_or_none_at(update, name))
        }
        call.name = self._mask(call.facts.get("name") or call.facts.get("kind") or "other")
        if call.facts.get("status") in FINISHED:
            del self.tool_calls[id]
            failed = call.facts["status"] == "failed"
            yield call.ended(event.at, "the agent says that it failed" if failed else None)

    def _note_usage(self, update: dict[str, Any]) -> None:
        """Record the usage. A session's cost is cumulative; that of a turn is what it adds."""
        cost = object_at(update, "cost")
        amount = number_at(cost, "amount")
        turn = self.whole
        if turn is not None and is_count(update.get("used")):
            turn.facts["context_used"] = update["used"]
        window = fullest_window(read_windows(update["_meta"])) if update.get("_meta") else None
        if turn is not None and window is not None:
            turn.facts["quota_used"] = 100.0 if window.used is None else window.used
            turn.facts["quota_window"] = self._mask(window.name)
        if amount is None or abs(amount) > _DEAREST:
            return
        before, self.cost = self.cost, float(amount)
        if turn is not None and before is not None:
            added = self.cost - before
            turn.facts["cost"] = turn.facts.get("cost", 0.0) + added
            turn.facts["currency"] = text_or_none_at(cost, "currency")
