"""Plays a recording again: as the agent that was recorded, or as its client."""
