"""Settings and themes."""
