"""Canceling turns and other requests."""
