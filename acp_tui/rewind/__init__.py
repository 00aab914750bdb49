"""Checkpoints of a folder's files before each turn, and rewinding to them."""
