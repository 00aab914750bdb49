"""Terminal emulation: the output of commands as lines."""
