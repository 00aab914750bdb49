"""Runs that are kept in the background, and the screens that show them."""
