"""Version 2 of the protocol, folded into the same state; loaded only where it is spoken."""
