"""A connection's state, folded from events: sessions, entries, reducers. No I/O, clock or screen."""
