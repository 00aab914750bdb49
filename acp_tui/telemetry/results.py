"""What a result says about an activity; agents may send anything."""

from typing import Any

from acp_tui.telemetry.activity import Activity

_TOKENS = ("inputTokens", "outputTokens", "totalTokens", "cachedReadTokens", "thoughtTokens")


def note_outcome(one: Activity, result: dict[str, Any]) -> None:
    """Note the kind of the option that was chosen; ids are each agent's own."""
    outcome, kinds = object_of(result.get("outcome")), one.facts.pop("options", {})
    chosen = outcome.get("optionId")
    if outcome.get("outcome") == "selected" and isinstance(chosen, str):
        one.facts["outcome"] = kinds.get(chosen) or "selected"
    else:
        one.facts["outcome"] = text_of(outcome.get("outcome")) or "error"


def note_usage(turn: Activity, result: dict[str, Any]) -> None:
    """Note why a turn ended, and the tokens that it took."""
    turn.facts["stop_reason"] = text_of(result.get("stopReason"))
    usage = object_of(result.get("usage"))
    turn.facts |= {name: usage[name] for name in _TOKENS if is_count(usage.get(name))}


def is_count(value: Any) -> bool:
    """Return whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def text_of(value: Any) -> str | None:
    """Return a value that is a text."""
    return value if isinstance(value, str) else None


def object_of(value: Any) -> dict[str, Any]:
    """Return a value that is an object; an empty one for any other."""
    return value if isinstance(value, dict) else {}
