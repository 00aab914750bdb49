"""Vim's modes, against a table and against Vim itself."""
