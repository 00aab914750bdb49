"""The help, which lists all keys."""
