"""Where to jump in a transcript: to turns, tool calls, permissions and errors."""

from collections.abc import Callable, Sequence

from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    RawEntry,
    Role,
    SubagentEntry,
    ToolCallEntry,
    TurnEndEntry,
)


def is_turn(entry: Entry) -> bool:
    return isinstance(entry, MessageEntry) and entry.role is Role.USER


def is_tool_call(entry: Entry) -> bool:
    return isinstance(entry, ToolCallEntry | SubagentEntry)


def is_permission(entry: Entry) -> bool:
    return isinstance(entry, ToolCallEntry) and bool(entry.decisions or entry.rulings)


def is_error(entry: Entry) -> bool:
    match entry:
        case ToolCallEntry():
            return entry.status == "failed"
        case TurnEndEntry():
            return bool(entry.error or entry.lost) or entry.stop_reason == "refusal"
        case NoticeEntry():
            return entry.severity == "error"
        case CompactionEntry():
            return entry.status == "failed"
        case RawEntry():
            return entry.problem is not None
    return False


KINDS: dict[str, Callable[[Entry], bool]] = {
    "turn": is_turn,
    "tool_call": is_tool_call,
    "permission": is_permission,
    "error": is_error,
}


_NAMES = {
    "turn": "turn",
    "tool_call": "tool call",
    "permission": "answered question",
    "error": "error",
    "change": "change in a diff",
}


def none(kind: str, step: int) -> str:
    """Say that there is nothing of a kind to go to."""
    return f"no {_NAMES[kind]} {'below' if step > 0 else 'above'}"


def find(entries: Sequence[Entry], kind: str, start: int, step: int) -> int | None:
    """Return the next entry of a kind after `start` (`step` 1) or before it (-1)."""
    end = len(entries) if step > 0 else -1
    matches = KINDS[kind]
    return next((at for at in range(start + step, end, step) if matches(entries[at])), None)
