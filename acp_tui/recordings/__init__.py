"""Write, read and import recordings."""
