"""Composes messages to the agent by hand."""
