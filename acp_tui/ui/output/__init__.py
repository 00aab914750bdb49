"""Output to our own terminal: only changed cells, and no more than the terminal can keep up with."""
