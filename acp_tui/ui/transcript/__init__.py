"""The virtual transcript: entries become strips, and only visible lines are drawn."""
