"""What an agent must not be able to do to a terminal, whatever it sends."""
