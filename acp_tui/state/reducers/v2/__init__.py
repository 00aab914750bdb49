"""Reducers for protocol version 2; only imported when a connection uses it."""
