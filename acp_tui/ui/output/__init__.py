"""Output to our own terminal: only changed cells, and no more than it can keep up with."""
