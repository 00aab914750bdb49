"""Plays recordings to real clients and agents, with the processes and pipes around `debug/play/`."""
