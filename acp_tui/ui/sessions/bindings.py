"""Keys of the list of sessions."""

from acp_tui.ui.keys import PICKER, key

SESSIONS = [
    *PICKER,
    key("ctrl+t", "new", "New session", priority=True),
    key("alt+r", "session('resume')", "Resume without the history", priority=True),
    key("alt+k", "session('fork')", "Fork", priority=True),
    key("alt+w", "session('close')", "Close", priority=True),
    key("f8", "session('delete')", "Delete for good", priority=True),
    key("alt+a", "session('archive')", "Archive or unarchive (--unstable)", priority=True),
    key("f2", "session('rename')", "Rename (--unstable)", priority=True),
    key("alt+s", "session('status')", "Check if in memory (--unstable)", priority=True),
]
RECORDED = [
    key("enter", "tell", "Begin a new session that can be told this"),
    key("escape,q", "close", "Close"),
]
