"""Groups of methods and of kinds of updates; a scripted agent, which has no pydantic, reads them, too."""

OPENING_METHODS = ("session/new", "session/load", "session/resume", "session/fork")
"""Methods that open a session."""
REOPENING_METHODS = ("session/load", "session/resume")
"""Methods that open a session again."""
TOOL_CALL_UPDATES = ("tool_call", "tool_call_update")
AGENT_CHUNKS = ("agent_message_chunk", "agent_thought_chunk")
CHUNKS = ("user_message_chunk", *AGENT_CHUNKS)
USER_MESSAGES = ("user_message", "user_message_chunk")
"""In version 2, what the person said: a whole message, or a part of one."""
REPLAY_COMPLETE = "replay_complete"
"""In version 2, the update that ends a replay: later ones are new, even before the response."""
AT_WORK = ("running", "requires_action")
"""In version 2, the states in which an agent works."""
