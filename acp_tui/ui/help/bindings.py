"""Keys of the help."""

from acp_tui.ui.keys import key

HELP = [
    key("alt+x", "do", "Choose something to do", priority=True),
    key("up", "scroll(0, -1)", "Line up", priority=True),
    key("down", "scroll(0, 1)", "Line down", priority=True),
    key("pageup", "scroll(-1)", "Page up", priority=True),
    key("pagedown", "scroll(1)", "Page down", priority=True),
    key("escape,f1,enter", "close", "Close", priority=True),
]
