"""Diffs of files: computed, parsed, counted and compared. No I/O, no screen."""
