"""Keeps files without git: as compressed copies, each once."""
