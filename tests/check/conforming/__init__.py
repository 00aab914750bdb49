"""An agent that does all that version 1 of the protocol says, and mutants that break one rule each."""
