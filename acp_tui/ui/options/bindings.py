"""Keys of the sign-in."""

from acp_tui.ui.keys import bind_key

SIGN_IN = [
    bind_key("r", "restart", "Restart after a sign-in elsewhere"),
    bind_key("escape", "close", "Cancel; close: sending a prompt asks again"),
]
