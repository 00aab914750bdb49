"""Keys of the matrix."""

from acp_tui.ui.keys import PICKER, bind_key

MATRIX = [
    *PICKER[:-1],
    bind_key("left", "column(-1)", "Agent to the left", priority=True),
    bind_key("right", "column(1)", "Agent to the right", priority=True),
    bind_key("enter", "", "Show the frame in a replay"),
    bind_key("f1", "help", "Show all keys", priority=True),
    bind_key("escape,ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
