"""Choosing from a list."""
