"""Reducers for protocol version 2; imported only when that version is spoken."""
