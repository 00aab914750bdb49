"""Keys of the search in recordings."""

from acp_tui.ui.keys import PICKER, bind_key

FIND = [
    *PICKER[:-1],
    bind_key("enter", "", "Open in a replay"),
    bind_key("alt+r", "resume", "Resume the session (asks first)", priority=True),
    bind_key("f1", "help", "Show all keys", priority=True),
    bind_key("escape,ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
