"""Keys of the page of notifications."""

from acp_tui.ui.keys import key

NOTICES = [key("escape,f8,q,enter", "close", "Close")]
