"""Keys of the client profile."""

from acp_tui.ui.keys import bind_key

CLIENT_PROFILE = [
    *(
        bind_key(str(number), f"choose({number})", "As a known client has them")
        for number in range(1, 6)
    ),
    bind_key("r", "restart", "Restart the agent with what is chosen", priority=True),
    bind_key("escape", "close", "Leave it as it is"),
]
