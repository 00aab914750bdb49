"""A recording, played as if it were live."""
