"""What is true now: a fold over events, its reducers and entries. No I/O, no clock, no screen."""
