"""What a terminal shows, as lines."""
