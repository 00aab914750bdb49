"""Version 2 of the protocol: its own shapes; where they are version 1's, so are the classes."""
