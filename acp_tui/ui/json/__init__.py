"""JSON values as lines."""
