"""Keys of the settings."""

from acp_tui.ui.keys import PICKER, key

SETTINGS = [*PICKER, key("delete", "reset", "Back to the default", priority=True)]
