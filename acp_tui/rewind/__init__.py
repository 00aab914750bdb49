"""Checkpoints of a folder's files before each turn, and the way back to them."""
