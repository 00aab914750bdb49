"""Filters of the log: the language, and what it asks of a row. Pure."""
