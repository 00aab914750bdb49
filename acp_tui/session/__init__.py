"""What is true now: the state, folded from events. Pure: no I/O, no clock, no screen."""
