"""Keys of the client profile."""

from acp_tui.ui.keys import bind_key

CLIENT_PROFILE = [
    *(
        bind_key(str(number), f"choose({number})", "Choose a known client")
        for number in range(1, 6)
    ),
    bind_key("r", "restart", "Restart the agent with this choice", priority=True),
    bind_key("escape", "close", "Cancel"),
]
