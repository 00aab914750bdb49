"""Finds and masks what looks like a secret, in records, JSON, text and command lines."""
