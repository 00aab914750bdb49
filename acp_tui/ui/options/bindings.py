"""Keys of the sign-in."""

from acp_tui.ui.keys import key

SIGN_IN = [
    key("r", "restart", "Restart after a sign-in elsewhere"),
    key("escape", "close", "Cancel; close: sending a prompt asks again"),
]
