"""Keys of the list of sessions."""

from acp_tui.ui.keys import PICKER, bind_key

SESSIONS = [
    *PICKER,
    bind_key("ctrl+t", "new", "New session", priority=True),
    bind_key("alt+r", "session('resume')", "Resume without the history", priority=True),
    bind_key("alt+k", "session('fork')", "Fork", priority=True),
    bind_key("alt+w", "session('close')", "Close", priority=True),
    bind_key("f8", "session('delete')", "Delete for good", priority=True),
    bind_key("alt+a", "session('archive')", "Archive or unarchive (--unstable)", priority=True),
    bind_key("f2", "session('rename')", "Rename (--unstable)", priority=True),
    bind_key("alt+s", "session('status')", "Check if in memory (--unstable)", priority=True),
]
RECORDED = [
    bind_key("enter", "tell", "New session with this conversation in its prompt"),
    bind_key("escape,q", "close", "Close"),
]
