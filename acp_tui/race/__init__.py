"""Races: one prompt for several agents, each in a worktree of its own."""
