"""All checks, by subject."""
