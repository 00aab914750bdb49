"""Messages that no edit of a file depends on: an edit can be judged even if one of them was altered."""

BESIDE_EDITS = frozenset(
    (
        "agent_message_chunk",
        "agent_thought_chunk",
        "user_message_chunk",
        "plan",
        "available_commands_update",
        "session_info_update",
        "usage_update",
        "session/list",
        "elicitation/create",
        "elicitation/complete",
    )
)
"""Kinds of updates, and methods. Where a turn begins or ends, or the mode changes, edits do depend on it:
they are judged by when they were asked for."""
