"""All actions, found by their words."""
