"""Reviewing what was changed: hunks, patches, comments. No screen, no disk."""
