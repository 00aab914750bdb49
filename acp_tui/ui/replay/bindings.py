"""Keys of a replay."""

from acp_tui.ui.keys import bind_key, feature_action

REPLAY = [
    bind_key("space", feature_action("replay.pause"), "Pause or resume", priority=True),
    bind_key("plus", feature_action("replay.faster"), "Faster", priority=True),
    bind_key("minus", feature_action("replay.slower"), "Slower", priority=True),
    bind_key("full_stop", feature_action("replay.step", 1), "Step forward", priority=True),
    bind_key("comma", feature_action("replay.step", -1), "Step back", priority=True),
    bind_key(
        "g",
        feature_action("replay.ask_goal"),
        "Go to a time, a frame (#12) or a percentage",
        priority=True,
    ),
    bind_key("end", feature_action("replay.seek_end"), "Go to the end", priority=True),
]
