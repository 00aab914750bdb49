"""Plays a recording back, as its agent or as its client."""
