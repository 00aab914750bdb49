"""Diffs of files: made, parsed, counted and compared. No I/O, no screen."""
