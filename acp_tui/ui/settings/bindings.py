"""Keys of the settings."""

from acp_tui.ui.keys import PICKER, bind_key

SETTINGS = [*PICKER, bind_key("delete", "reset", "Back to the default", priority=True)]
