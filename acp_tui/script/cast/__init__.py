"""The screen while a script is played: the UI on a terminal of its own, typed at, and recorded."""
