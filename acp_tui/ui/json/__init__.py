"""Display of JSON values as lines."""
