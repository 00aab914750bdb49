"""Reviewing the changed files: diffs, comments, undo, staging."""
