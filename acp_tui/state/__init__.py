"""The current state: a fold over events, its reducers and entries. No I/O, no clock, no screen."""
