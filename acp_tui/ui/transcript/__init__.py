"""The virtual transcript: entries become strips, only visible lines are drawn."""
