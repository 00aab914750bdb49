"""Keys of the help."""

from acp_tui.ui.keys import bind_key

HELP = [
    bind_key("alt+x", "do", "Search all actions", priority=True),
    bind_key("up", "scroll(0, -1)", "Line up", priority=True),
    bind_key("down", "scroll(0, 1)", "Line down", priority=True),
    bind_key("pageup", "scroll(-1)", "Page up", priority=True),
    bind_key("pagedown", "scroll(1)", "Page down", priority=True),
    bind_key("escape,f1,enter", "close", "Close", priority=True),
]
