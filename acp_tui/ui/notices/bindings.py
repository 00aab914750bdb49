"""Keys of the page of notifications."""

from acp_tui.ui.keys import bind_key

NOTICES = [bind_key("escape,f8,q,enter", "close", "Close")]
