"""Groups of methods and of kinds of updates; a scripted agent, which has no pydantic, reads them, too."""

OPENING_METHODS = ("session/new", "session/load", "session/resume", "session/fork")
"""Methods that open a session."""
REOPENING_METHODS = ("session/load", "session/resume")
"""Methods that open a session again."""
TOOL_CALL_UPDATES = ("tool_call", "tool_call_update")
AGENT_CHUNKS = ("agent_message_chunk", "agent_thought_chunk")
CHUNKS = ("user_message_chunk", *AGENT_CHUNKS)
