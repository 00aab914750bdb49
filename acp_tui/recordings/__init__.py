"""Reads, writes and imports recordings."""
