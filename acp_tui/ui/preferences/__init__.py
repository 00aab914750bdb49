"""Choices made on screens that are remembered for later runs."""
