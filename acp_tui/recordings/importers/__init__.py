"""Other programs' logs, read as records."""
