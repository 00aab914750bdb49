"""The help: all keys."""
