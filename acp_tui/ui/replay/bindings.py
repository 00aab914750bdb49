"""Keys of a replay."""

from acp_tui.ui.keys import do, key

REPLAY = [
    key("space", do("replay.pause"), "Pause, or go on", priority=True),
    key("plus", do("replay.faster"), "Faster", priority=True),
    key("minus", do("replay.slower"), "Slower", priority=True),
    key("full_stop", do("replay.step", 1), "One step on", priority=True),
    key("comma", do("replay.step", -1), "One step back", priority=True),
    key("g", do("replay.ask_goal"), "Go to a time, a frame (#12) or a share", priority=True),
    key("end", do("replay.seek_end"), "To the end", priority=True),
]
