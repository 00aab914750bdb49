"""Keys of the rewind."""

from acp_tui.ui.keys import bind_key

TURNS = [
    bind_key("up,k", "move(-1)", "Turn above"),
    bind_key("down,j", "move(1)", "Turn below"),
    bind_key("pageup", "scroll(-1)", "Scroll the changes up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll the changes down"),
    bind_key("enter", "choose", "Preview a rewind, then choose; unfold other sessions"),
    bind_key("u", "undo", "Undo the last rewind"),
    bind_key("escape,alt+u,q", "close", "Close"),
]
GO_BACK = [
    bind_key("pageup", "scroll(-1)", "Scroll the files up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll the files down"),
    bind_key("escape", "close", "Cancel"),
]
