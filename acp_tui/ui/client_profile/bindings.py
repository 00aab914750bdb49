"""Keys of the client profile."""

from acp_tui.ui.keys import key

CLIENT_PROFILE = [
    *(
        key(str(number), f"choose({number})", "As a known client has them")
        for number in range(1, 6)
    ),
    key("r", "restart", "Restart the agent with what is chosen", priority=True),
    key("escape", "close", "Leave it as it is"),
]
