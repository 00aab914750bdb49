"""`session/update`: applies every kind of version 1 to its session (ACP: Prompt Turn)."""

from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from acp_tui.protocol.air import AsyncTaskUpdate
from acp_tui.protocol.content import text_of_content
from acp_tui.protocol.json_parts import text_or_none_at
from acp_tui.protocol.kinds import REPLAY_COMPLETE
from acp_tui.protocol.model import Model
from acp_tui.protocol.unstable import AuthStatus
from acp_tui.protocol.updates import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    Chunk,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    CursorAnchor,
    CursorUpdate,
    KnownUpdate,
    Notice,
    Plan,
    PlanEntry,
    PlanRemoved,
    PlanUpdate,
    PromptSuggestion,
    PromptSuggestionsUpdate,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    SessionNotification,
    SubagentUpdate,
    ToolCallUpdate,
    UnknownUpdate,
    UsageUpdate,
    UserMessageChunk,
)
from acp_tui.protocol.wire_events import Notified
from acp_tui.state.blocks import append_block
from acp_tui.state.changes import Change, EntryChanged, ScreenChanged, TurnChanged
from acp_tui.state.entries import CompactionEntry, NoticeEntry, PlanSnapshot, RawEntry, Role
from acp_tui.state.reducers import air, notices, restart, subagents, terminals, tool_calls
from acp_tui.state.reducers.messages import add_chunk
from acp_tui.state.reducers.notices import announce_mode
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.session import Session
from acp_tui.state.state import State

LONGEST = 2_000
"""Most characters of a suggested prompt; nobody would read a longer one before sending it."""
META_KEY = "promptSuggestions"
"""The `_meta` key of a `session_info_update` in which claude-agent-acp (0.101.0) sends suggestions."""


def first_suggestion(suggestions: Iterable[PromptSuggestion]) -> str:
    """Return the first suggestion with text, or ""."""
    return _first(text_of_content(one.prompt) for one in suggestions)


def suggestion_in_meta(meta: Mapping[str, Any] | None) -> str | None:
    """Return the first suggestion with text; "" if the list has none, None if there is no list."""
    suggested = (meta or {}).get(META_KEY)
    if not isinstance(suggested, Mapping) or not isinstance(suggested.get("suggestions"), list):
        return None
    return _first(
        one["text"]
        for one in suggested["suggestions"]
        if isinstance(one, Mapping) and isinstance(one.get("text"), str)
    )


def _first(texts: Iterable[str]) -> str:
    return next((one.strip() for one in texts if one.strip() and len(one) <= LONGEST), "")


NOT_REPLAYED = (
    AvailableCommandsUpdate,
    CurrentModeUpdate,
    ConfigOptionUpdate,
    SessionInfoUpdate,
    UsageUpdate,
    Notice,
    PromptSuggestionsUpdate,
)
"""Update kinds that are not part of a replayed history."""
STATE = "state_update"
"""The update with the session's state in version 2, which isn't part of a replayed history either."""
_ANCHOR_ROLES = {
    "user_message": Role.USER,
    "agent_message": Role.AGENT,
    "agent_thought": Role.THOUGHT,
}
ROLES: dict[type[Any], Role] = {
    AgentMessageChunk: Role.AGENT,
    AgentThoughtChunk: Role.THOUGHT,
    UserMessageChunk: Role.USER,
}


def _update_plan(
    session: Session, at: float, update: Plan | PlanUpdate | PlanRemoved
) -> list[Change]:
    """Replace or remove a plan: the steps of all plans are merged; a text becomes a notice."""
    if isinstance(update, Plan):
        return _replaced(session, at, update.entries)
    given = update.plan if isinstance(update, PlanUpdate) else None
    before = (
        session.plan.parts.pop(update.plan_id, None) if isinstance(update, PlanRemoved) else None
    )
    if given is not None:
        before = session.plan.parts.get(given.plan_id)
        session.plan.parts[given.plan_id] = given
    changes: list[Change] = []
    if any(plan is not None and plan.words is None for plan in (before, given)):
        steps = [step for one in session.plan.parts.values() for step in one.entries or []]
        changes = _replaced(session, at, steps)
    told = given or before
    if told is None or told.words is None:
        return changes
    title = "Plan" if given is not None else "Plan, removed"
    key = f"plan {told.plan_id} {session.turns}"
    return [*changes, *notices.set_notice(session, at, key, title, told.words)]


def _replaced(session: Session, at: float, entries: list[PlanEntry]) -> list[Change]:
    """Add the new steps as a version of this turn's plan entry, or in a new entry.

    An empty plan is shown as cleared, if there was one before.
    """
    if not entries and not session.plan.steps:
        return []
    session.plan.steps = entries
    changed = ScreenChanged()
    snapshot = session.entries[session.plan.snapshot] if session.plan.snapshot is not None else None
    if isinstance(snapshot, PlanSnapshot) and session.plan.turn == session.turns:
        snapshot.versions.append(entries)
        assert session.plan.snapshot is not None
        return [EntryChanged(session.session_id, session.plan.snapshot), changed]
    session.plan.snapshot, session.plan.turn = len(session.entries), session.turns
    return [*add_entry(session, PlanSnapshot(at, [entries])), changed]


def on_notified(state: State, event: Notified) -> list[Change]:
    """Apply a notification from the agent; an unknown method changes nothing."""
    if isinstance(event.params, SessionNotification):
        session, update = state.session(event.params.session_id), event.params.update
        is_replayed = not isinstance(update, NOT_REPLAYED) and update.session_update != STATE
        if session.opening.replay is None and session.opening.method:
            restart.begin_late_replay(session, update)
        if session.opening.replay is not None and update.session_update == REPLAY_COMPLETE:
            session.opening.replay.closed = True
        elif (
            session.opening.replay is not None and is_replayed and not session.opening.replay.closed
        ):
            if isinstance(update, SubagentUpdate):
                subagents.attach_subagent(state, session, event.at, update)
            # Applied to an empty state: a replay must not change terminals.
            _apply_update(State(), session.opening.replay, event, event.params)
            return []
        changes = _apply_update(state, session, event, event.params)
        if session.subagent is not None and isinstance(update, UsageUpdate):
            changes.append(TurnChanged(session.session_id))  # its line in the parent shows it
        return changes
    if isinstance(event.params, AuthStatus):
        state.peer.auth_status = event.params
        return [ScreenChanged()]
    if event.method != "session/update":
        return []
    session_id = text_or_none_at(event.raw, "sessionId")
    if session_id is None:
        return []
    entry = RawEntry(event.at, "session/update", event.raw, event.problem, ended=event.at)
    return add_entry(state.session(session_id), entry)


def _apply_update(
    state: State, session: Session, event: Notified, params: SessionNotification
) -> list[Change]:
    update = params.update
    if isinstance(update, UnknownUpdate):
        return _unknown(session, event, update)
    if type(params) is not SessionNotification:
        from acp_tui.state.reducers.v2 import updates  # only imported for version 2

        return updates.apply_update(state, session, event.at, params)
    return apply_known_update(state, session, event.at, update)


def _unknown(session: Session, event: Notified, update: UnknownUpdate) -> list[Change]:
    what = f"session/update {update.session_update}"
    return add_entry(session, RawEntry(event.at, what, event.raw["update"], ended=event.at))


def apply_known_update(
    state: State, session: Session, at: float, update: KnownUpdate
) -> list[Change]:
    """Apply an update of a known kind."""
    match update:
        case Chunk():
            return add_chunk(session, at, ROLES[type(update)], update)
        case ToolCallUpdate():
            return [
                *tool_calls.update_tool_call(session, at, update),
                *terminals.update_agent_terminal(state, session, at, update),
            ]
        case Plan() | PlanUpdate() | PlanRemoved():
            return _update_plan(session, at, update)
        case SubagentUpdate() | SessionMessage() | SessionMessageChunk():
            return subagents.update_subagent(state, session, at, update)
        case AsyncTaskUpdate():
            return air.update_task(session, at, update)
        case Notice():
            notice = NoticeEntry(at, update.severity, update.title, update.description, ended=at)
            return add_entry(session, notice)
        case CompactionUpdate() | CompactionSummaryChunk():
            return _compaction(session, at, update)
        case CurrentModeUpdate() | ConfigOptionUpdate():
            _replace_property(session, update)
            return [ScreenChanged(), *(announce_mode(session, at) if session.opened else ())]
        case (
            AvailableCommandsUpdate()
            | SessionInfoUpdate()
            | UsageUpdate()
            | PromptSuggestionsUpdate()
            | CursorUpdate()
        ):
            _replace_property(session, update)
            return [ScreenChanged(), *_apply_meta(state, session, at, update)]
        case _:
            assert_never(update)  # mypy reports a kind of `KnownUpdate` without a case


def _apply_meta(state: State, session: Session, at: float, update: Model) -> list[Change]:
    """Apply the `_meta` of an update: quota, goals and failures, which are outside the protocol."""
    if isinstance(update, UsageUpdate) and update.meta:
        _update_quota(state, update.meta)
    return air.note_meta(session, at, update)


def _update_cursor(session: Session, update: CursorUpdate) -> None:
    """Add a new cursor, and record whether the agent currently offers to fork there."""
    if update.anchor is not None and update.cursor_id not in session.indexes.cursors:
        index = _anchor_index(session, update.anchor)
        if index is not None:
            session.indexes.cursors[update.cursor_id] = index
    if "capabilities" in update.model_fields_set:
        can_fork = isinstance((update.capabilities or {}).get("fork"), dict)
        (session.fork_cursors.add if can_fork else session.fork_cursors.discard)(update.cursor_id)


def _anchor_index(session: Session, anchor: CursorAnchor) -> int | None:
    """Return the index of the entry after an anchor; None if the anchor isn't in the transcript."""
    index = None
    if anchor.type in _ANCHOR_ROLES and anchor.message_id is not None:
        key = _ANCHOR_ROLES[anchor.type], anchor.message_id
        index = session.indexes.message_ids.get(key, session.indexes.messages.get(key))
    elif anchor.type == "tool_call":
        index = session.indexes.tool_calls.get(anchor.tool_call_id or "")
    elif anchor.type == "compaction":
        index = session.indexes.compactions.get(anchor.compaction_id or "")
    if index is None or anchor.position not in ("before", "after"):
        return None
    return index + (anchor.position == "after")


def _update_quota(state: State, meta: Mapping[str, Any]) -> None:
    """Apply the quota windows in an update's `_meta`; a window without usage keeps the previous
    one.
    """
    from acp_tui.protocol.quota import MOST_WINDOWS, read_windows  # few agents report them

    for window in read_windows(meta):
        known = state.quota.get(window.id)
        if known is not None or len(state.quota) < MOST_WINDOWS:
            state.quota[window.id] = window.completed_by(known)


def _replace_info(session: Session, update: SessionInfoUpdate) -> None:
    """Replace the session's information, and the suggested prompt in `_meta`."""
    for name in ("title", "updated_at"):
        if name in update.model_fields_set:
            setattr(session, name, getattr(update, name))
    if (suggestion := suggestion_in_meta(update.meta)) is not None:
        session.suggested_prompt = suggestion


SessionFact = (
    AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | PromptSuggestionsUpdate
    | CursorUpdate
)


def _replace_property(session: Session, update: SessionFact) -> None:
    """Replace a property of the session."""
    match update:
        case AvailableCommandsUpdate():
            session.commands = update.available_commands
        case CurrentModeUpdate():
            if session.config.modes is not None:
                new = {"current_mode_id": update.current_mode_id}
                session.config.modes = session.config.modes.model_copy(update=new)
        case ConfigOptionUpdate():
            session.config.options = update.config_options
            session.config.unconfirmed.clear()
        case SessionInfoUpdate():
            _replace_info(session, update)
        case PromptSuggestionsUpdate():
            session.suggested_prompt = first_suggestion(update.suggestions)
        case CursorUpdate():
            _update_cursor(session, update)
        case UsageUpdate():
            session.usage.used, session.usage.size = update.used, update.size
            session.usage.cost = update.cost or session.usage.cost
        case _:
            assert_never(update)


def _compaction(
    session: Session, at: float, update: CompactionUpdate | CompactionSummaryChunk
) -> list[Change]:
    """Add or update the compaction with this id; null clears a field, a missing one is unchanged."""
    index = session.indexes.compactions.setdefault(update.compaction_id, len(session.entries))
    changes: list[Change] = [EntryChanged(session.session_id, index)]
    if index == len(session.entries):
        changes = add_entry(session, CompactionEntry(at, update.compaction_id))
    entry = session.entries[index]
    assert isinstance(entry, CompactionEntry)
    if isinstance(update, CompactionSummaryChunk):
        append_block(entry.blocks, update.content)
        return changes
    entry.status = update.status
    if "error" in update.model_fields_set:
        entry.error = update.error
    if "summary" in update.model_fields_set:
        entry.blocks = []
        for block in update.summary or []:
            append_block(entry.blocks, block)
    return changes
