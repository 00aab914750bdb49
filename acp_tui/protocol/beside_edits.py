"""What edits of files depend on: those can be judged even if another message was altered."""

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
KNOWLEDGE = frozenset(("fs/read_text_file", "terminal/output"))
"""Methods by which an agent learns what is in files: it may edit by that in a later turn, too."""
