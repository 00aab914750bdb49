"""Diffs as lines."""
