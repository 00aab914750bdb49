"""Keys of the search in recordings."""

from acp_tui.ui.keys import PICKER, key

FIND = [
    *PICKER[:-1],
    key("enter", "", "Open in a replay"),
    key("alt+r", "resume", "Resume the session (asks first)", priority=True),
    key("f1", "help", "Show all keys", priority=True),
    key("escape,ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
