"""Replaying a recording as if it were live."""
