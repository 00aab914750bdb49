"""Keys of the matrix."""

from acp_tui.ui.keys import PICKER, key

MATRIX = [
    *PICKER[:-1],
    key("left", "column(-1)", "Agent to the left", priority=True),
    key("right", "column(1)", "Agent to the right", priority=True),
    key("enter", "", "Show the frame in a replay"),
    key("f1", "help", "Show all keys", priority=True),
    key("escape,ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
