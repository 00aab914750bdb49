"""Keys of the rewind."""

from acp_tui.ui.keys import key

TURNS = [
    key("up,k", "move(-1)", "Turn above"),
    key("down,j", "move(1)", "Turn below"),
    key("pageup", "scroll(-1)", "Scroll the changes up"),
    key("pagedown,space", "scroll(1)", "Scroll the changes down"),
    key("enter", "choose", "Preview a rewind, then choose; unfold other sessions"),
    key("u", "undo", "Undo the last rewind"),
    key("escape,alt+u,q", "close", "Close"),
]
GO_BACK = [
    key("pageup", "scroll(-1)", "Scroll the files up"),
    key("pagedown,space", "scroll(1)", "Scroll the files down"),
    key("escape", "close", "Cancel"),
]
