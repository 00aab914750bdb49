"""Keys of the conversation."""

from acp_tui.ui.keys import do, key

CONVERSATION = [
    key("escape", do("turns.cancel"), "Cancel the turn; take back the queue"),
    key("tab", "focus_next", "Switch between prompt and transcript"),
    key("f2", "toggle_plan", "Open or fold the plan"),
    key("alt+r", do("reruns.send"), "Send the last prompt again", priority=True),
    key("f6", "queue", "Reorder queue", priority=True),
    key("alt+slash", "search", "Search the transcript", priority=True),
    key("slash", "search", "Search the transcript"),
]
SEARCH = [
    key("enter", "accept", "Go to match; then n/N"),
    key("down", "next", "Next match"),
    key("up,shift+enter", "previous", "Previous match"),
    key("escape", "close", "Close the search"),
]
TROUBLE = [
    key("n", "new", "New session, where only that is missing"),
    key("o", "choose", "Another session, where the agent keeps any"),
    key("r", "restart", "Restart the agent"),
    key("x", "stop", "Don't restart it by itself"),
    key("q", "close", "Close it, beside other agents"),
    key("equals_sign", do("reruns.compare"), "What differs from the same prompt before"),
    key("escape,enter", "read", "Go on reading the transcript"),
]
