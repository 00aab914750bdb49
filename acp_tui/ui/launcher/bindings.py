"""Keys of the launcher."""

from acp_tui.ui.keys import PICKER, bind_key

LAUNCHER = [
    *PICKER[:-1],
    bind_key("enter", "", "Start the selection or the race"),
    bind_key("alt+r", "race", "Add to or remove from race"),
    bind_key("alt+t", "start_with_options", "Start, options first (--unstable)"),
    bind_key("f1", "help", "Show all keys", priority=True),
    bind_key("escape", "clear", "Clear, else quit", priority=True),
    bind_key("ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
