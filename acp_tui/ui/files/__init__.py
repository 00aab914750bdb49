"""The files that the agent changed, with their diffs."""
