"""Keys of the launcher."""

from acp_tui.ui.keys import PICKER, key

LAUNCHER = [
    *PICKER[:-1],
    key("enter", "", "Start the selection or the race"),
    key("alt+r", "race", "Add to or remove from race"),
    key("f1", "help", "Show all keys", priority=True),
    key("escape", "clear", "Clear, else quit", priority=True),
    key("ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
