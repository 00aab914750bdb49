"""Plays recordings to real clients and agents: the pipes around `debug/play/`."""
