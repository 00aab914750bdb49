"""What goes to our own terminal: only what changed, and no more than it takes."""
