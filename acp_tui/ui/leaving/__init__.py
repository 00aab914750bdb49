"""Quitting."""
