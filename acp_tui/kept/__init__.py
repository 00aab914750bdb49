"""Runs that are kept in the background (`--keep`), and the screens that attach to them."""
