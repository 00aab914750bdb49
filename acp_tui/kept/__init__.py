"""Runs in the background, and the screens that attach to them."""
