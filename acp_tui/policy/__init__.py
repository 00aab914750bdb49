"""Permission rules, and their verdict on a request. No I/O."""
