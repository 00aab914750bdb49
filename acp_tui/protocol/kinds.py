"""Groups of methods and kinds of updates. No pydantic: scripted agents import this, too."""

OPENING_METHODS = ("session/new", "session/load", "session/resume", "session/fork")
"""Methods that open a session."""
REOPENING_METHODS = ("session/load", "session/resume")
"""Methods that reopen an existing session."""
SETTING_METHODS = ("session/set_mode", "session/set_config_option")
"""Methods that may change what the agent needs permission for."""
TOOL_CALL_UPDATES = ("tool_call", "tool_call_update")
AGENT_CHUNKS = ("agent_message_chunk", "agent_thought_chunk")
CHUNKS = ("user_message_chunk", *AGENT_CHUNKS)
USER_MESSAGES = ("user_message", "user_message_chunk")
"""In version 2, what the user said: a whole message, or a chunk."""
REPLAY_COMPLETE = "replay_complete"
"""In version 2, the update that ends a replay: later updates are new, even before the response."""
AT_WORK = ("running", "requires_action")
"""In version 2, the session states in which the agent is working."""
