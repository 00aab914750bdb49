"""Modal editing as vim does it, without any screen."""
