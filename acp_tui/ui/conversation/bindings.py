"""Key tables of the conversation."""

from acp_tui.ui.keys import bind_key, feature_action

CONVERSATION = [
    bind_key("escape", feature_action("turns.cancel"), "Cancel the turn; take back the queue"),
    bind_key("tab", "focus_next", "Switch between prompt and transcript"),
    bind_key("f2", "toggle_plan", "Open or fold the plan"),
    bind_key("alt+r", feature_action("reruns.send"), "Send the last prompt again", priority=True),
    bind_key("f6", "queue", "Reorder queue", priority=True),
    bind_key("alt+slash", "search", "Search the transcript", priority=True),
    bind_key("slash", "search", "Search the transcript"),
]
SEARCH = [
    bind_key("enter", "accept", "Go to match; then n/N"),
    bind_key("down", "next", "Next match"),
    bind_key("up,shift+enter", "previous", "Previous match"),
    bind_key("escape", "close", "Close the search"),
]
TROUBLE = [
    bind_key("n", "new", "New session, if only that failed"),
    bind_key("o", "choose", "Open a session that the agent keeps"),
    bind_key("r", "restart", "Restart the agent"),
    bind_key("x", "stop", "Stop automatic restarts"),
    bind_key("q", "close", "Close the agent, if there are others"),
    bind_key(
        "equals_sign", feature_action("reruns.compare"), "Compare with the last turn of this prompt"
    ),
    bind_key("escape,enter", "read", "Back to the transcript"),
]
